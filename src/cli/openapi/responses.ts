import type { OpenAPIObject } from '@nestjs/swagger';
import { apiKeyScheme } from '../../access/access.decorators.js';
import { type CatalogueEntry, errorCatalogue, type ErrorName, statusOf } from '../../errors/error-catalogue.js';
import type { FieldProblem } from '../../errors/service-error.js';
import { idempotencyHeader, replayedHeader } from '../../records/idempotency.interceptor.js';
import { revisionExtension } from '../../records/conditional.guard.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Components = NonNullable<OpenAPIObject['components']>;
type Header = NonNullable<Components['headers']>[string];
type Response = NonNullable<Components['responses']>[string];
type Schema = NonNullable<Components['schemas']>[string];

const catalogue = Object.entries(errorCatalogue) as [ErrorName, CatalogueEntry][];
const bodyErrors: readonly ErrorName[] = ['bodyTooLarge', 'mediaTypeNotSupported'];
const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

const headers: Record<string, Header> = {
  'X-Request-Id': {
    description:
      'The request ID: yours if it has 8 to 128 letters, digits, `.`, `_` or `-`; otherwise a generated one.',
    schema: { type: 'string', example: '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11' },
  },
  ETag: {
    description:
      'The `revision` of the record in quotes, for `If-Match` and `If-None-Match`. Of standings, totals and calendars: their version, for `If-None-Match`.',
    schema: { type: 'string', example: '"7"' },
  },
  'RateLimit-Limit': {
    description:
      'The number of requests per minute that this key can send to this resource. The `RateLimit` headers are omitted if the request was rejected before it was counted, as with `40306`, `42902` and most `50302`.',
    schema: { type: 'integer', example: 100 },
  },
  'RateLimit-Remaining': {
    description: 'The number of requests left in the current minute, which started with the first counted request.',
    schema: { type: 'integer', minimum: 0, example: 99 },
  },
  'RateLimit-Reset': {
    description: 'The number of seconds until the current minute ends.',
    schema: { type: 'integer', minimum: 0, maximum: 60, example: 60 },
  },
  Link: {
    description: 'The explanation of the error code in the guide, with `rel="help"`.',
    schema: { type: 'string', example: '</docs#errors/description/40001>; rel="help"' },
  },
  'Retry-After': {
    description: 'The number of seconds to wait before you retry.',
    schema: { type: 'integer', minimum: 1, example: 1 },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string', enum: ['Bearer'], example: 'Bearer' },
  },
  [replayedHeader]: {
    description: '`true` if this is the stored response to an earlier request with the same `idem-key` and body.',
    schema: { type: 'string', enum: ['true'], example: 'true' },
  },
};
const limitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

export function operationsOf({ paths }: Pick<OpenAPIObject, 'paths'>): Operation[] {
  return Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));
}

/** Describes the response headers of every operation, and the errors that its decorators declare, by operation ID. */
export function describeResponses(
  document: OpenAPIObject & { components: Components },
  declaredErrors: ReadonlyMap<string, ReadonlySet<ErrorName>>,
): void {
  const isPublic = apiKeyScheme in (document.components.securitySchemes ?? {});
  const limits = isPublic ? limitHeaders : [];
  const errors: Record<string, Response> = {};
  // These two belong to no operation.
  const known = new Set<CatalogueEntry>([errorCatalogue.routeNotFound, errorCatalogue.methodNotAllowed]);
  for (const operation of operationsOf(document)) {
    const counted = apiKeyScheme in (operation.security?.[0] ?? {}) ? limits : [];
    for (const [status, response] of Object.entries(operation.responses)) {
      if (response === undefined || '$ref' in response) continue;
      const isIdempotent = operation.parameters?.some((each) => 'name' in each && each.name === idempotencyHeader);
      const replayed = status === '201' && isIdempotent ? [replayedHeader] : [];
      const revision = revisionExtension in operation ? ['ETag'] : [];
      response.headers = headerReferences(['X-Request-Id', ...counted, ...revision, ...replayed]);
    }
    Reflect.deleteProperty(operation, revisionExtension);
    const names = new Set(declaredErrors.get(operation.operationId ?? ''));
    if (operation.requestBody === undefined) for (const name of bodyErrors) names.delete(name);
    const entries = catalogue.filter(([name]) => names.has(name)).map(([, entry]) => entry);
    for (const status of new Set(entries.map(statusOf))) {
      const ofStatus = entries.filter((entry) => statusOf(entry) === status);
      const name = `Error${ofStatus.map(({ code }) => code).join('_')}`;
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
      errors[name] = errorResponse(status, ofStatus, limits);
    }
    for (const entry of entries) known.add(entry);
  }
  const listed = Object.values(errorCatalogue).filter((entry) => known.has(entry));
  document.components.schemas = {
    ...document.components.schemas,
    ErrorEnvelope: errorEnvelope(listed),
    FieldProblem: fieldProblem,
  };
  document.components.responses = Object.fromEntries(Object.entries(errors).sort());
  const text = JSON.stringify(document);
  document.components.headers = Object.fromEntries(
    Object.entries(headers).filter(([name]) => text.includes(`"${headerReference(name)}"`)),
  );
}

function errorResponse(status: number, entries: readonly CatalogueEntry[], limits: readonly string[]): Response {
  const retry = [409, 429, 503].includes(status) ? ['Retry-After'] : [];
  const own = status === 401 ? ['WWW-Authenticate'] : [...limits, ...retry];
  return {
    description: entries.map(({ code, message, when }) => `\`${code}\`: ${message}. ${when}`).join('\n\n'),
    headers: headerReferences(['X-Request-Id', 'Link', ...own]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorEnvelope' },
        examples: Object.fromEntries(entries.map((entry) => [String(entry.code), { value: exampleOf(entry) }])),
      },
    },
  };
}

const exampleTime = '2027-05-01T10:00:00.000Z';
const exampleId = '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11';
const exampleProblem = { field: 'name', message: 'name is required' };
const { invalidField, teamForbidden, externalIdTaken } = errorCatalogue;
/** The errors that always have `details`. */
const exampleProblems = new Map<CatalogueEntry, FieldProblem>([
  [invalidField, exampleProblem],
  [teamForbidden, { field: 'teamId', message: "teamId is not a team of the API key's organization" }],
  [externalIdTaken, { field: 'externalId', message: externalIdTaken.message }],
]);

function exampleOf(entry: CatalogueEntry) {
  const problem = exampleProblems.get(entry);
  const message = entry === invalidField ? exampleProblem.message : entry.message;
  const envelope = { error: entry.code, message, timestamp: exampleTime, traceId: exampleId };
  return problem === undefined ? envelope : { ...envelope, details: [problem] };
}

function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: headerReference(name) }]));
}

function headerReference(name: string): string {
  return `#/components/headers/${name}`;
}

/** Returns the schema of the envelope. `error` is open, so that a new code breaks no generated client. */
function errorEnvelope(known: readonly CatalogueEntry[]): Schema {
  return {
    type: 'object',
    description: 'The body of every error response.',
    required: ['error', 'message', 'timestamp', 'traceId'],
    properties: {
      error: {
        type: 'integer',
        description: [
          'The error code; its first three digits are the HTTP status. New codes can be added. Known codes:\n',
          ...known.map(({ code, message }) => `- \`${code}\`: ${message}`),
        ].join('\n'),
        ...{ 'x-error-codes': known.map(({ code }) => code) },
        example: 40001,
      },
      message: { type: 'string', description: 'A human-readable message.', example: exampleProblem.message },
      timestamp: { type: 'string', format: 'date-time', description: 'The time of the error.', example: exampleTime },
      traceId: { type: 'string', description: 'The request ID, as in `X-Request-Id`.', example: exampleId },
      details: {
        type: 'array',
        maxItems: 50,
        description:
          'With `40001`: all invalid fields. With `40301`: the field of the team. With `40905`: `externalId`. With `40101`: whether the `Authorization` header is missing or malformed.',
        items: { $ref: '#/components/schemas/FieldProblem' },
      },
    },
  };
}

const fieldProblem: Schema = {
  type: 'object',
  description: 'An invalid field.',
  required: ['field', 'message'],
  properties: {
    field: {
      type: 'string',
      description: 'The name of the field, or its path if it is nested.',
      example: 'rows[3].stats.completions',
    },
    message: { type: 'string', description: 'What is wrong with the field.', example: exampleProblem.message },
  },
};
