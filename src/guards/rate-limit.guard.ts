import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { Response } from 'express';
import { accessOf } from '../access/access.decorators.js';
import { ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from '../http/api-request.js';
import type { RateLimitGroup } from '../access/public-api.js';
import { Metrics } from '../observability/metrics.js';

/**
 * Limits the requests of each API key per rate limit group. `@Throttle()` changes the limit of a controller. On a handler
 * it needs a `generateKey`, for its own count. `@SkipThrottle()` removes the limit.
 * @throws ServiceError 42901
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';
  @Inject() private readonly metrics!: Metrics;

  protected override async shouldSkip(route: ExecutionContext): Promise<boolean> {
    return Promise.resolve(this.groupOf(route) === undefined);
  }

  protected override async getTracker({ integrationContext }: Partial<ApiRequest>): Promise<string> {
    return Promise.resolve(integrationContext?.apiKey.id ?? '');
  }

  protected override generateKey(route: ExecutionContext, keyId: string): string {
    return `${this.groupOf(route)}:${keyId}`;
  }

  protected override async throwThrottlingException(
    route: ExecutionContext,
    { limit, ttl, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<never> {
    const response = route.switchToHttp().getResponse<Response>();
    // The base class sets these headers on accepted requests only.
    response.setHeader('RateLimit-Limit', limit);
    response.setHeader('RateLimit-Remaining', 0);
    response.setHeader('RateLimit-Reset', timeToBlockExpire);
    const group = this.groupOf(route);
    if (group !== undefined) this.metrics.countRateLimited('requests', group);
    const period = ttl === 60_000 ? 'minute' : `${ttl / 1_000} seconds`;
    return Promise.reject(
      new ServiceError('rateLimited', {
        message: `Too many requests: the limit is ${limit} per ${period}. Retry in ${timeToBlockExpire} seconds`,
        retryAfterSeconds: timeToBlockExpire,
      }),
    );
  }

  /** Returns the rate limit group of a public route; undefined for other routes. */
  private groupOf(route: ExecutionContext): RateLimitGroup | undefined {
    const access = accessOf(this.reflector, route);
    return access?.kind === 'integration' ? access.rateLimitGroup : undefined;
  }
}
