import type { OpenAPIObject } from '@nestjs/swagger';
import { apiKeyScheme } from '../common/context/access.decorators.js';
import { errorCatalogue, statusOf } from '../common/errors/error-catalogue.js';
import { idempotencyHeader } from '../idempotency/idempotency-key.js';
import { replayedHeader } from '../idempotency/idempotency.interceptor.js';
import { type Operation, operationsOf } from './operations.js';

type Header = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>[string];
type Answer = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>[string];

const headers: Record<string, Header> = {
  'X-Request-Id': {
    description: "The request's id: your own, where it has 8 to 128 letters, digits, `.`, `_` or `-`; else a new one.",
    schema: { type: 'string', example: '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11' },
  },
  'RateLimit-Limit': {
    description: 'How many requests a minute this key may send to this controller.',
    schema: { type: 'integer', example: 100 },
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left until the minute ends. It began with the first request counted.',
    schema: { type: 'integer', minimum: 0, example: 99 },
  },
  'RateLimit-Reset': {
    description: 'In how many seconds the minute ends.',
    schema: { type: 'integer', minimum: 0, maximum: 60, example: 60 },
  },
  'Retry-After': {
    description: 'After how many seconds to try again.',
    schema: { type: 'integer', minimum: 1, example: 1 },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', enum: ['Bearer'], example: 'Bearer' },
  },
  [replayedHeader]: {
    description: 'Sent where the answer is the first one again, as the `idem-key` was used before with this body.',
    schema: { type: 'string', enum: ['true'], example: 'true' },
  },
};

const limitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Puts the error answers and the response headers on every operation of a finished document. */
export function describeAnswers(document: OpenAPIObject): void {
  const used = new Set<number>();
  for (const operation of operationsOf(document)) {
    describeSuccess(operation);
    for (const status of errorStatusesOf(operation)) {
      used.add(status);
      operation.responses[status] = { $ref: `#/components/responses/${answerName(status, isPublic(operation))}` };
    }
  }
  const publicDocument = Object.keys(document.components?.securitySchemes ?? {}).includes(apiKeyScheme);
  const answers = [...used]
    .sort()
    .map((status) => [answerName(status, publicDocument), answerOf(status, publicDocument)]);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...errorSchemas() },
    responses: Object.fromEntries(answers) as Record<string, Answer>,
  };
  document.components.headers = headersNamedIn(JSON.stringify(document));
}

/** The headers that some answer of this document has; the others are of the other document. */
function headersNamedIn(document: string): Record<string, Header> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => document.includes(`"${headerReference(name)}"`)),
  );
}

function isPublic(operation: Operation): boolean {
  return (operation.security ?? []).some((scheme) => apiKeyScheme in scheme);
}

function answerName(status: number, publicAnswer: boolean): string {
  return `${publicAnswer ? 'Error' : 'AdminError'}${status}`;
}

function describeSuccess(operation: Operation): void {
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (answer === undefined || '$ref' in answer) continue;
    const replayed = status === '201' && hasIdempotency(operation) ? [replayedHeader] : [];
    const limits = isPublic(operation) ? limitHeaders : [];
    answer.headers = headerReferences(['X-Request-Id', ...limits, ...replayed]);
  }
}

/** Which errors an operation can answer with, by what it takes. */
function errorStatusesOf(operation: Operation): number[] {
  const open = !isPublic(operation) && (operation.security ?? []).every((scheme) => Object.keys(scheme).length === 0);
  const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
  const named = parameters.some(({ in: place, name }) => place === 'path' && name !== 'teamId');
  const namesRecord =
    named || ['createTeam', 'createSeason', 'createApiKey', 'listApiKeys'].includes(operation.operationId ?? '');
  const conflict =
    hasIdempotency(operation) ||
    ['createOrganization', 'createOrganizationAdmin', 'rotateApiKey'].includes(operation.operationId ?? '');
  const login = operation.operationId === 'login';
  const limited = isPublic(operation) || login || operation.operationId === 'changePassword';
  return [
    400,
    ...(open && !login ? [] : [401]),
    ...(open ? [] : [403]),
    ...(namesRecord ? [404] : []),
    ...(conflict ? [409] : []),
    413,
    415,
    ...(hasIdempotency(operation) ? [422] : []),
    ...(limited ? [429] : []),
    500,
    503,
  ];
}

function hasIdempotency(operation: Operation): boolean {
  return ((operation.parameters ?? []) as { name: string }[]).some(({ name }) => name === idempotencyHeader);
}

function answerOf(status: number, publicAnswer: boolean): Answer {
  const entries = Object.values(errorCatalogue).filter((entry) => statusOf(entry) === status);
  const retry = [409, 429, 503].includes(status) ? ['Retry-After'] : [];
  const authenticate = status === 401 ? ['WWW-Authenticate'] : [];
  const limits = publicAnswer && status !== 401 ? limitHeaders : [];
  return {
    description: entries.map((entry) => `\`${entry.code}\`: ${entry.when}`).join('\n\n'),
    headers: headerReferences(['X-Request-Id', ...limits, ...retry, ...authenticate]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorEnvelope' },
        examples: Object.fromEntries(entries.map((entry) => [String(entry.code), { value: exampleOf(entry) }])),
      },
    },
  };
}

function exampleOf({ code, message }: { code: number; message: string }) {
  const traceId = '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11';
  const envelope = { error: code, message, timestamp: '2027-05-01T10:00:00.000Z', traceId };
  if (code !== errorCatalogue.invalidField.code) return envelope;
  const problem = { field: 'name', message: 'name is required' };
  return { ...envelope, message: problem.message, details: [problem] };
}

function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: headerReference(name) }]));
}

function headerReference(name: string): string {
  return `#/components/headers/${name}`;
}

function errorSchemas(): NonNullable<NonNullable<OpenAPIObject['components']>['schemas']> {
  const codes = Object.values(errorCatalogue).map(({ code }) => code);
  return {
    ErrorEnvelope: {
      type: 'object',
      description: 'What every refusal looks like.',
      required: ['error', 'message', 'timestamp', 'traceId'],
      properties: {
        error: {
          type: 'integer',
          enum: codes,
          description: 'The service code; its first three digits are the status.',
          example: 40001,
        },
        message: { type: 'string', description: 'What is wrong, for people.', example: 'name is required' },
        timestamp: {
          type: 'string',
          format: 'date-time',
          description: 'When it was refused.',
          example: '2027-05-01T10:00:00.000Z',
        },
        traceId: {
          type: 'string',
          description: "The request's id, as in `X-Request-Id`.",
          example: '5f6c1a52-7a3f-4b1e-9a53-2f2f6f0c9d11',
        },
        details: {
          type: 'array',
          maxItems: 50,
          description: 'With `40001`: every problem.',
          items: { $ref: '#/components/schemas/FieldProblem' },
        },
      },
    },
    FieldProblem: {
      type: 'object',
      description: 'One wrong field.',
      required: ['field', 'message'],
      properties: {
        field: { type: 'string', description: 'Which; a nested one as a path.', example: 'rows[3].stats.completions' },
        message: { type: 'string', description: 'What to mend.', example: 'name is required' },
      },
    },
  };
}
