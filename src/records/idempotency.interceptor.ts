import { hash } from 'node:crypto';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { ApiHeader } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { catchError, from, type Observable } from 'rxjs';
import { ApiErrors } from '../access/access.decorators.js';
import type { IdempotencyKey, Tenant } from '../access/request-context.js';
import { ServiceError } from '../errors/service-error.js';
import { Metrics } from '../observability/metrics.js';
import type { ApiRequest } from '../http/api-request.js';
import { canonicalJson } from '../validation/json.js';
import { Conditional } from './conditional.guard.js';
import type { FirstResponse } from './synced-record.schema.js';
import { IdempotencyKeyUsed } from './synced.repository.js';

export const idempotencyHeader = 'idem-key';
/** The name of the header in the IETF's draft, which does the same. */
const standardHeader = 'Idempotency-Key';
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

export const replayedHeader = 'Idempotent-Replayed';

/** Finds the first response to a key: the repository of the records that the route creates. */
interface IdempotencyStore {
  findFirstResponse(tenant: Tenant, key: IdempotencyKey): Promise<FirstResponse | null>;
}

interface IdempotentOptions {
  readonly store: Type<IdempotencyStore>;
  readonly required: boolean;
}

const optionsKey = Symbol('idempotent');

/**
 * Replays the first response to a repeated create. A first request costs nothing extra: the unique index rejects a used
 * key on insert, and the first response is only looked up for requests that fail with that or any other 4xx.
 */
@Injectable()
class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
    private readonly metrics: Metrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const options = this.reflector.get<IdempotentOptions>(optionsKey, context.getHandler());
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const key = idempotencyKeyOf(request, options.required);
    const tenant = request.integrationContext;
    if (key === undefined || tenant === undefined) return next.handle();
    // Nest evaluates `@Context()` after the interceptors, so the controller gets the context with the key.
    request.integrationContext = { ...tenant, idempotencyKey: key };
    const response = context.switchToHttp().getResponse<Response>();
    const store = this.modules.get<IdempotencyStore>(options.store, { strict: false });
    const replay = async (error: unknown): Promise<string> => {
      const used = error instanceof IdempotencyKeyUsed;
      const rejected = error instanceof ServiceError && error.status < 500;
      if (!used && !rejected) throw error;
      const first = (used ? error.first : undefined) ?? (await store.findFirstResponse(tenant, key));
      if (first === null) {
        if (!used) throw error;
        // The first request is not yet majority-committed, or its 24 hours have just ended.
        this.metrics.countReplay('in_progress');
        throw new ServiceError('idempotencyKeyBusy');
      }
      if (first.fingerprint !== key.fingerprint) {
        this.metrics.countReplay('body_mismatch');
        throw new ServiceError('idempotencyKeyReused');
      }
      this.metrics.countReplay('replayed');
      tenant.onRevision?.((JSON.parse(first.answer) as { revision: number }).revision);
      response.setHeader(replayedHeader, 'true');
      // Sent as stored, because a later version of the server may serialize it differently.
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      return first.answer;
    };
    return next.handle().pipe(catchError((error: unknown) => from(replay(error))));
  }
}

/**
 * Makes a create route, which sends `ETag`, repeatable with an `idem-key`. `store` is the repository that its service
 * inserts with.
 */
export function Idempotent(options: IdempotentOptions): MethodDecorator {
  return applyDecorators(
    SetMetadata(optionsKey, options),
    UseInterceptors(IdempotencyInterceptor),
    Conditional('create'),
    ApiErrors('idempotencyKeyInvalid', 'idempotencyKeyBusy', 'idempotencyKeyReused'),
    ApiHeader({
      name: idempotencyHeader,
      required: options.required,
      description:
        'Your own unique key for this create: 1 to 255 visible ASCII characters, valid for 24 hours. Repeating the request with the same key and body returns the first response and creates nothing. You can also send it as `Idempotency-Key`.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]{1,255}$' },
      example: 'import-2027-05-01-0001',
    }),
  );
}

/**
 * Returns the idempotency key of a request, or undefined if it has none and none is required.
 * @throws ServiceError 40003 if the header is missing but required, or malformed, or if both names have different values
 */
export function idempotencyKeyOf(request: Request, required: boolean): IdempotencyKey | undefined {
  const standard = request.headers[standardHeader.toLowerCase()];
  const header = request.headers[idempotencyHeader] ?? standard;
  if (header === undefined) {
    if (!required) return undefined;
    throw new ServiceError('idempotencyKeyInvalid', { message: 'The idem-key header is required' });
  }
  if (typeof header !== 'string' || !visibleAscii.test(header)) throw new ServiceError('idempotencyKeyInvalid');
  if (header !== (standard ?? header)) {
    const message = `The ${idempotencyHeader} and ${standardHeader} headers must have the same value`;
    throw new ServiceError('idempotencyKeyInvalid', { message });
  }
  return {
    // Decoded, so that percent-escapes make no difference.
    route: `${request.method} ${decodeURIComponent(request.path).toLowerCase().replace(/\/+$/, '')}`,
    keyHash: sha256(header),
    fingerprint: sha256(canonicalJson(request.body)),
  };
}

function sha256(text: string): string {
  // One-shot hashing, as creating a Hash object costs more than hashing.
  return hash('sha256', text, 'base64url');
}
