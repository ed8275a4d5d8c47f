import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import { catchError, from, type Observable } from 'rxjs';
import { Rejects } from '../access/access.decorators.js';
import type { OrganizationScope } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { Metrics } from '../common/metrics/metrics.js';
import type { ApiRequest } from '../common/http/api-request.js';
import { type IdempotencyKey, idempotencyHeader, idempotencyKeyOf } from './idempotency-key.js';
import { IdempotencyKeyUsed, type IdempotencyStamp } from './idempotent.repository.js';

export const replayedHeader = 'Idempotent-Replayed';

/** Where the marks of earlier requests are found: the repository of the records that the route creates. */
interface StampStore {
  findStamp(scope: OrganizationScope, key: IdempotencyKey): Promise<IdempotencyStamp | null>;
}

interface IdempotentOptions {
  readonly store: Type<StampStore>;
  readonly required: boolean;
}

type IdempotentRequest = ApiRequest & { idempotencyKey?: IdempotencyKey };

const optionsKey = Symbol('idempotent');

/**
 * Answers a repeated create with its first answer. The happy way costs nothing here: the record's own insert
 * refuses a used key, and only a refused request (by that, or by any other rule) is looked up.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
    private readonly metrics: Metrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const options = this.reflector.get<IdempotentOptions>(optionsKey, context.getHandler());
    const request = context.switchToHttp().getRequest<IdempotentRequest>();
    const key = idempotencyKeyOf(request, options.required);
    const scope = request.integrationContext;
    if (key === undefined || scope === undefined) return next.handle();
    request.idempotencyKey = key;
    const response = context.switchToHttp().getResponse<Response>();
    const store = this.modules.get<StampStore>(options.store, { strict: false });
    return next
      .handle()
      .pipe(catchError((refusal: unknown) => from(this.replay(refusal, { store, scope, key, response }))));
  }

  private async replay(
    refusal: unknown,
    {
      store,
      scope,
      key,
      response,
    }: { store: StampStore; scope: OrganizationScope; key: IdempotencyKey; response: Response },
  ): Promise<string> {
    const used = refusal instanceof IdempotencyKeyUsed;
    const refused = refusal instanceof ServiceError && refusal.status < 500;
    if (!used && !refused) throw refusal;
    const stamp = (used ? refusal.stamp : undefined) ?? (await store.findStamp(scope, key));
    if (stamp === null) {
      if (!used) throw refusal;
      // Used a moment ago and not yet sure to stay, or forgotten since, as its 24 hours ended meanwhile.
      this.metrics.countIdempotencyRepeat('busy');
      throw new ServiceError(errorCatalogue.idempotencyKeyBusy, { retryAfterSeconds: 1 });
    }
    if (stamp.fingerprint !== key.fingerprint) {
      this.metrics.countIdempotencyRepeat('refused');
      throw new ServiceError(errorCatalogue.idempotencyKeyReused);
    }
    this.metrics.countIdempotencyRepeat('replayed');
    response.setHeader(replayedHeader, 'true');
    // The stored text itself: a later version of this server would not write it in the same way.
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    return stamp.answer;
  }
}

/** Lets a create route be repeated safely: `store` is the repository that its service inserts with. */
export function Idempotent(options: IdempotentOptions): MethodDecorator {
  return applyDecorators(
    SetMetadata(optionsKey, options),
    UseInterceptors(IdempotencyInterceptor),
    Rejects('idempotencyKeyBusy', 'idempotencyKeyReused'),
    ApiHeader({
      name: idempotencyHeader,
      required: options.required,
      description:
        'A text of your own, 1 to 255 visible ASCII characters, that names this one creation for 24 hours. Sent again with the same body it gives the first answer and creates nothing.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]{1,255}$' },
      example: 'import-2027-05-01-0001',
    }),
  );
}

/** Hands a handler the request's idempotency key, where it has one. */
export const Idempotency = createParamDecorator(
  (_data: unknown, host: ExecutionContext) => host.switchToHttp().getRequest<IdempotentRequest>().idempotencyKey,
);
