import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './operations.js';

interface Body {
  required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
}

/** Says of every body whether it may be left out: where none of its fields is required, none sent is an empty one. */
export function describeBodies(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, { required?: string[] }>;
  for (const operation of operationsOf(document)) {
    const body = operation.requestBody as Body | undefined;
    if (body === undefined) continue;
    const name = body.content['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
    body.required = (schemas[name]?.required ?? []).length > 0;
  }
}
