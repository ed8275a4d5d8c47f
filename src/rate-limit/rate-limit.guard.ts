import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { Response } from 'express';
import { accessOf } from '../common/context/access.decorators.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { Metrics } from '../common/metrics/metrics.js';
import type { ServedRequest } from '../common/http/served-request.js';

/** Limits each API key on each public controller, and says on every answer what is left. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly metrics: Metrics,
  ) {
    super(options, storage, reflector);
  }

  protected override async handleRequest({ context, limit, ttl }: ThrottlerRequest): Promise<boolean> {
    const access = accessOf(this.reflector, context);
    const caller = context.switchToHttp().getRequest<ServedRequest>().integrationContext;
    if (access?.kind !== 'integration' || caller === undefined) return true;

    const key = `${access.controller}:${caller.apiKey.id}`;
    const counted = await this.storageService.increment(key, ttl, limit, 0, 'default');
    announce(context, limit, counted);
    if (!counted.isBlocked) return true;
    this.metrics.rateLimited(access.controller);
    throw new ServiceError(errorCatalogue.rateLimited, {
      message: `Too many requests: ${limit} a minute are allowed; try again in ${counted.timeToBlockExpire} seconds`,
      retryAfterSeconds: counted.timeToBlockExpire,
    });
  }
}

function announce(
  context: ExecutionContext,
  limit: number,
  counted: { totalHits: number; timeToExpire: number },
): void {
  const response = context.switchToHttp().getResponse<Response>();
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', Math.max(0, limit - counted.totalHits));
  response.setHeader('RateLimit-Reset', counted.timeToExpire);
}
