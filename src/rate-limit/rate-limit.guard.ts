import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { accessOf } from '../common/context/access.decorators.js';
import { perRoute } from '../common/context/per-route.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { Metrics } from '../common/metrics/metrics.js';
import type { ServedRequest } from '../common/http/served-request.js';
import { Configuration } from '../config/configuration.js';
import { secondsLeft } from './counted-window.js';
import { RequestCounter } from './request-counter.js';

const windowSeconds = 60;

/** Limits each API key on each public controller, and says on every answer what is left. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly accessOf = perRoute((route) => accessOf(this.reflector, route));

  constructor(
    private readonly reflector: Reflector,
    private readonly counter: RequestCounter,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.accessOf(context);
    const http = context.switchToHttp();
    const caller = http.getRequest<ServedRequest>().integrationContext;
    if (access?.kind !== 'integration' || caller === undefined) return true;

    const limit = this.configuration.rateLimitPerMinute;
    const key = `${access.controller}:${caller.apiKey.id}`;
    const counted = await this.counter.hit('requests', key, windowSeconds);
    const seconds = secondsLeft(counted);
    const response = http.getResponse<Response>();
    response.setHeader('RateLimit-Limit', limit);
    response.setHeader('RateLimit-Remaining', Math.max(0, limit - counted.hits));
    response.setHeader('RateLimit-Reset', seconds);
    if (counted.hits <= limit) return true;
    this.metrics.rateLimited(access.controller);
    throw new ServiceError(errorCatalogue.rateLimited, {
      message: `Too many requests: ${limit} a minute are allowed; try again in ${seconds} seconds`,
      retryAfterSeconds: seconds,
    });
  }
}
