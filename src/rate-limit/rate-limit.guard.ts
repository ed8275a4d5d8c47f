import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { InjectThrottlerOptions, InjectThrottlerStorage, ThrottlerGuard, ThrottlerStorage } from '@nestjs/throttler';
import type { Response } from 'express';
import { accessOf } from '../common/context/access.decorators.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { Metrics } from '../common/metrics/metrics.js';
import type { ServedRequest } from '../common/http/served-request.js';

/** The one limit: so many requests in so many milliseconds. */
export interface RateLimit {
  readonly limit: number;
  readonly ttl: number;
}

/** Limits each API key on each public controller, and says on every answer what is left. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  private readonly limit: RateLimit;

  constructor(
    @InjectThrottlerOptions() options: { throttlers: [RateLimit] },
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly metrics: Metrics,
  ) {
    super(options, storage, reflector);
    [this.limit] = options.throttlers;
  }

  /** Every route has the same limit: the throttler's own way looks up six pieces of metadata for each request to find that out. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(this.reflector, context);
    const http = context.switchToHttp();
    const caller = http.getRequest<ServedRequest>().integrationContext;
    if (access?.kind !== 'integration' || caller === undefined) return true;

    const { limit, ttl } = this.limit;
    const key = `${access.controller}:${caller.apiKey.id}`;
    const counted = await this.storageService.increment(key, ttl, limit, 0, 'default');
    announce(http.getResponse<Response>(), limit, counted);
    if (!counted.isBlocked) return true;
    this.metrics.rateLimited(access.controller);
    throw new ServiceError(errorCatalogue.rateLimited, {
      message: `Too many requests: ${limit} a minute are allowed; try again in ${counted.timeToBlockExpire} seconds`,
      retryAfterSeconds: counted.timeToBlockExpire,
    });
  }
}

function announce(response: Response, limit: number, counted: { totalHits: number; timeToExpire: number }): void {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', Math.max(0, limit - counted.totalHits));
  response.setHeader('RateLimit-Reset', counted.timeToExpire);
}
