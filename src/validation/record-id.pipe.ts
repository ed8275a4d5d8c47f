import { type ArgumentMetadata, Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
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

/** Injects a record ID of the path, and describes it in the OpenAPI document. */
export function RecordIdParam(name: string, description: string, example: string): ParameterDecorator {
  return (target, method = '', index) => {
    Param(name, RecordIdPipe)(target, method, index);
    ApiParam({ name, description, example })(target, method, { value: Reflect.get(target, method) as unknown });
  };
}
