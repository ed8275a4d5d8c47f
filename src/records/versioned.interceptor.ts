import { hash } from 'node:crypto';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type StreamableFile,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { build } from '../config/package.js';
import type { ApiRequest } from '../http/api-request.js';
import { allowNotModified } from '../http/request-head.js';
import type { RouteReturning } from '../http/returns.decorator.js';
import { ApiNotModified, ApiReadIfMatch, assertMatch, preconditionsOf } from './conditional.guard.js';

const exampleTag = '"3q2-7w"';

export interface VersionedRead<T> {
  /** Differs after every change of the records, see `findVersionBy` in organization.repository.ts. Read before the records. */
  readonly version: readonly string[];
  /** Returns the response, or its JSON text, which is kept if the response is large. */
  readonly read: () => Promise<T | StreamableFile>;
}

/**
 * Sends the hash of the build and the version of the records as `ETag`. Computes no response for 412, if `If-Match` does not have it, and for 304, if
 * `If-None-Match` has it.
 */
@Injectable()
class VersionedInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<VersionedRead<object>>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const { ifMatch } = preconditionsOf(request);
    allowNotModified(request);
    return next.handle().pipe(
      mergeMap(async ({ version, read }) => {
        // With the version and commit of the server, which can have other fields or rules for the same records.
        const etag = `"${hash('sha256', JSON.stringify([build, ...version]), 'base64url')}"`;
        assertMatch(ifMatch, etag);
        response.setHeader('ETag', etag);
        // Express sends 304 for a fresh response.
        return request.fresh ? undefined : read();
      }),
    );
  }
}

/** Documents the response of a conditional route, whose handler returns a `VersionedRead` of it. */
export function Versioned<T extends object>(type: Type<T>, description: string): RouteReturning<VersionedRead<T>> {
  return applyDecorators(
    UseInterceptors(VersionedInterceptor),
    ApiOkResponse({ type, description }),
    ApiNotModified(
      'nothing has changed since',
      'Nothing has changed since the response with the `ETag` in `If-None-Match`.',
      exampleTag,
    ),
    ApiReadIfMatch(exampleTag),
  );
}
