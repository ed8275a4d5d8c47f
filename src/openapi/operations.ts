import type { OpenAPIObject } from '@nestjs/swagger';

/** One operation of a document. */
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Every operation of a document, in its order of paths. */
export function operationsOf({ paths }: Pick<OpenAPIObject, 'paths'>): Operation[] {
  return Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));
}
