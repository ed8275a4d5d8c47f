import { SetMetadata } from '@nestjs/common';

export const bodyLimitKey = Symbol('bodyLimit');

/** What a route's body may weigh in bytes where it is not the usual 102,400. */
export function BodyLimit(bytes: number): MethodDecorator {
  return SetMetadata(bodyLimitKey, bytes);
}
