import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Method } from './server.js';

export type Schema = Readonly<Record<string, unknown>>;

/** A parameter of an operation. */
interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** One operation of the published documents with everything needed to send it. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** As in the document, `/teams/{teamId}`. */
  readonly path: string;
  readonly caller: 'apiKey' | 'adminToken' | 'anybody';
  /** The status of a successful response. */
  readonly success: number;
  /** The code of every error that the document lists. */
  readonly errors: readonly number[];
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly document: OpenAPIObject;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly security: readonly Schema[];
  readonly parameters?: readonly (Omit<Parameter, 'schema'> & {
    readonly schema: Schema;
    readonly example?: unknown;
  })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Schema;
}

export const publicDocument = documentIn('openapi/public.json');
export const adminDocument = documentIn('openapi/admin.json');

/** Every operation of both published documents. */
export const operations: readonly Operation[] = [publicDocument, adminDocument].flatMap(operationsOf);

/** Returns the documented operation of a request, or undefined. */
export function operationAt(method: string, url: string): Operation | undefined {
  const { pathname } = new URL(url);
  return operations.find(
    (operation) =>
      operation.method === method.toLowerCase() &&
      new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i').test(pathname),
  );
}

/** Resolves a reference to a schema; of several, the first one. */
export function resolved(schema: Schema, document: OpenAPIObject): Schema {
  const { $ref, allOf, oneOf } = schema as { $ref?: string; allOf?: readonly Schema[]; oneOf?: readonly Schema[] };
  if (oneOf?.[0] !== undefined) return resolved(oneOf[0], document);
  if (allOf?.length === 1 && allOf[0] !== undefined) return { ...resolved(allOf[0], document), ...schema };
  const name = $ref?.split('/').at(-1);
  return name === undefined ? schema : resolved((document.components?.schemas?.[name] ?? {}) as Schema, document);
}

function documentIn(file: string): OpenAPIObject {
  return JSON.parse(readFileSync(path.resolve(__dirname, '../..', file), 'utf8')) as OpenAPIObject;
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([route, item]) =>
    Object.entries(item as Record<string, DescribedOperation>).map(([method, described]) => ({
      id: described.operationId,
      method: method as Method,
      path: route,
      caller: callerOf(described),
      errors: Object.values(described.responses).flatMap((response) => errorsOf(response as Schema, document)),
      success: Number(Object.keys(described.responses).find((status) => status.startsWith('2'))),
      parameters: (described.parameters ?? []).map(({ example, schema, ...rest }) => ({
        ...rest,
        schema: example === undefined ? schema : { ...schema, example },
      })),
      body: Object.values(described.requestBody?.content ?? {})[0]?.schema,
      document,
    })),
  );
}

/** The errors in the examples of a response. */
function errorsOf({ $ref }: Schema, document: OpenAPIObject): number[] {
  const response = document.components?.responses?.[String($ref).split('/').at(-1) ?? ''];
  const content = response !== undefined && 'content' in response ? response.content : undefined;
  return Object.keys(content?.['application/json']?.examples ?? {}).map(Number);
}

function callerOf({ security }: DescribedOperation): Operation['caller'] {
  const scheme = Object.keys(security[0] ?? {})[0];
  return scheme === 'apiKey' || scheme === 'adminToken' ? scheme : 'anybody';
}
