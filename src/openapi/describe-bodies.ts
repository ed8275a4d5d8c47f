import type { OpenAPIObject } from '@nestjs/swagger';

type Content = Record<string, { schema?: { $ref?: string } }>;

/** Says of every body whether it may be left out: where none of its fields is required, none sent is an empty one. */
export function describeBodies(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, { required?: string[] }>;
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item as Record<string, unknown>))) {
    const body = (operation as { requestBody?: { required?: boolean; content: Content } }).requestBody;
    if (body === undefined) continue;
    const name = body.content['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
    body.required = (schemas[name]?.required ?? []).length > 0;
  }
}
