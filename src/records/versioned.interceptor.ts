import { hash } from 'node:crypto';
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
import { mergeMap, type Observable } from 'rxjs';
import type { ApiRequest } from '../http/api-request.js';
import { allowNotModified } from '../http/request-head.js';
import { revisionExtension } from './conditional.guard.js';

export interface VersionedRead<T> {
  /** Differs after every change of the records, see `findVersionBy` in organization.repository.ts. Read before the records. */
  readonly version: readonly string[];
  readonly read: () => Promise<T>;
}

/** Sends the hash of the version as `ETag`, and 304 without computing the response if `If-None-Match` has it. */
@Injectable()
class VersionedInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<VersionedRead<object>>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    allowNotModified(request);
    return next.handle().pipe(
      mergeMap(async ({ version, read }) => {
        response.setHeader('ETag', `"${hash('sha256', JSON.stringify(version), 'base64url')}"`);
        // Express sends 304 for a fresh response.
        return request.fresh ? undefined : read();
      }),
    );
  }
}

/** Makes a route conditional whose response is a `VersionedRead`. */
export function Versioned(): MethodDecorator {
  return applyDecorators(
    UseInterceptors(VersionedInterceptor),
    ApiExtension(revisionExtension, true),
    ApiHeader({
      name: 'If-None-Match',
      description: 'The `ETag` of an earlier response: 304 without a body if nothing has changed since.',
      required: false,
      schema: { type: 'string', example: '"3q2-7w"' },
    }),
    ApiResponse({
      status: 304,
      description: 'Nothing has changed since the response with the `ETag` in `If-None-Match`.',
    }),
  );
}
