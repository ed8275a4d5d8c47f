import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { invalidField } from '../errors/service-error.js';
import { isRecordId } from './fields.js';

/**
 * Validates a path ID of 24 hexadecimal digits and converts it to lower case.
 * @throws ServiceError 40001
 */
@Injectable()
export class RecordIdPipe implements PipeTransform {
  transform(value: unknown, { data = 'id' }: ArgumentMetadata): string {
    if (!isRecordId(value)) throw invalidField(data, `${data} must be an ID of 24 hexadecimal digits`);
    return value.toLowerCase();
  }
}
