import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { invalidField } from '../errors/service-error.js';
import { isRecordId } from './fields.js';

/**
 * Checks an id in the path: 24 hexadecimal digits, in lower case afterwards.
 * @throws ServiceError 40001
 */
@Injectable()
export class RecordIdPipe implements PipeTransform {
  transform(value: unknown, { data = 'id' }: ArgumentMetadata): string {
    if (!isRecordId(value)) throw invalidField(data, `${data} must be an id of 24 hexadecimal digits`);
    return value.toLowerCase();
  }
}
