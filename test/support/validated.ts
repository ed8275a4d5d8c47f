import type { ServiceError } from '../../src/errors/service-error.js';
import { InputValidationPipe } from '../../src/validation/validation.pipe.js';

type Class = new () => object;

const pipe = new InputValidationPipe();

/** What the pipe makes of the body of a request. */
export function validated(metatype: Class, body: unknown): Promise<Record<string, unknown>> {
  return pipe.transform(body, { type: 'body', metatype }) as Promise<Record<string, unknown>>;
}

/** The error with which the pipe rejects a body, or undefined. */
export async function rejectionOf(metatype: Class, body: unknown): Promise<ServiceError | undefined> {
  try {
    await validated(metatype, body);
    return undefined;
  } catch (error) {
    return error as ServiceError;
  }
}

/** The names of the fields that the pipe rejects, or undefined. */
export async function invalidFieldsOf(metatype: Class, body: unknown): Promise<string[] | undefined> {
  return (await rejectionOf(metatype, body))?.details?.map(({ field }) => field);
}
