import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { ApiErrors } from '../access/access.decorators.js';
import type { RequestContext } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { ApiRequest } from '../common/http/api-request.js';

/** `*`, or revisions in quotes. A proxy that compresses responses adds `W/`. */
const format = /^\s*(?:\*|(?:W\/)?"\d{1,15}"(?:\s*,\s*(?:W\/)?"\d{1,15}")*)\s*$/;

/** OpenAPI extension of operations that send `ETag`, until `describeResponses` adds the header to their responses. */
export const revisionExtension = 'x-revision';

/** The body of a response with one record. */
interface RecordBody {
  readonly revision?: number;
  readonly data?: { readonly revision?: number };
}

/**
 * Sends the record's revision as `ETag`, with which Express responds 304 if `If-None-Match` has it, and adds `If-Match`
 * to the context, so that the update checks it.
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    parseHeader(request, 'if-none-match');
    // Node's `fetch` adds `no-cache` to conditional requests, with which Express would never respond 304.
    delete request.headers['cache-control'];
    const ifMatch = parseHeader(request, 'if-match');
    if (ifMatch !== undefined && request.integrationContext !== undefined)
      request.integrationContext = { ...request.integrationContext, ifMatch };
    return next.handle().pipe(
      tap((body: unknown) => {
        const revision = revisionOf(body);
        if (revision !== undefined) response.setHeader('ETag', `"${revision}"`);
      }),
    );
  }
}

/**
 * Returns the revisions of a header, or undefined if the request has none.
 * @throws ServiceError 40000
 */
function parseHeader(request: ApiRequest, name: 'if-match' | 'if-none-match'): RequestContext['ifMatch'] {
  const header = request.headers[name];
  if (header === undefined) return undefined;
  if (!format.test(header)) {
    const message = `The ${name} header must be * or revisions in quotes, such as "7"`;
    throw new ServiceError(errorCatalogue.malformedRequest, { message });
  }
  return header.trim() === '*' ? '*' : [...header.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

function revisionOf(body: unknown): number | undefined {
  // A replayed first response is sent as it was stored.
  const { revision, data } = (typeof body === 'string' ? JSON.parse(body) : body) as RecordBody;
  return revision ?? data?.revision;
}

const schema = { type: 'string', example: '"7"' } as const;
const sendsRevision = ApiExtension(revisionExtension, true);
const ifMatch = applyDecorators(
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'The `ETag` that you read: 412 if the record was changed since. `*` matches every revision.',
    schema,
  }),
  ApiErrors('revisionMismatch'),
);
const ifNoneMatch = applyDecorators(
  ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'The `ETag` of an earlier response: 304 without a body if the record is unchanged.',
    schema,
  }),
  ApiResponse({ status: 304, description: 'The record has the revision in `If-None-Match`.' }),
);
const decorators = {
  create: [sendsRevision],
  read: [sendsRevision, ifNoneMatch],
  update: [sendsRevision, ifMatch],
  delete: [ifMatch],
};

/** Makes a route of one record conditional: `ETag` in responses, `If-None-Match` on reads, `If-Match` on writes. */
export function Conditional(kind: keyof typeof decorators): MethodDecorator {
  return applyDecorators(UseInterceptors(ConditionalInterceptor), ...decorators[kind]);
}
