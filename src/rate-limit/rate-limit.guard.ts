import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { Response } from 'express';
import { accessOf } from '../access/access.decorators.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { ApiRequest } from '../common/http/api-request.js';
import { Metrics } from '../common/metrics/metrics.js';

/** Metadata keys of `@Throttle()` and `@SkipThrottle()` for the throttler `default`. */
const limitKey = 'THROTTLER:LIMITdefault';
const ttlKey = 'THROTTLER:TTLdefault';
const skipKey = 'THROTTLER:SKIPdefault';
/** Supported settings and their types. */
const supported: Record<string, string> = { [limitKey]: 'number', [ttlKey]: 'number', [skipKey]: 'boolean' };

type RouteLimit = Omit<ThrottlerRequest, 'context'>;

/**
 * Limits the requests of each API key per public controller. `@Throttle()` changes the limit of a controller, or gives
 * a handler its own limit and count; `@SkipThrottle()` removes the limit.
 * @throws ServiceError 42901
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';

  /** Limits by route. The decorators are read once per route; reading them takes 3 µs. */
  private readonly limits = new Map<string, RouteLimit | undefined>();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly metrics: Metrics,
    private readonly modules: ModulesContainer,
  ) {
    super(options, storage, reflector);
  }

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    for (const { controllers } of this.modules.values()) {
      for (const { metatype } of controllers.values()) if (metatype) this.assertSupported(metatype as Type<object>);
    }
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    if (!this.limits.has(route)) this.limits.set(route, this.readLimit(context));
    const limit = this.limits.get(route);
    return limit === undefined || this.handleRequest({ ...limit, context });
  }

  protected override throwThrottlingException(
    context: ExecutionContext,
    { limit, ttl, timeToBlockExpire }: ThrottlerLimitDetail,
  ): never {
    const response = context.switchToHttp().getResponse<Response>();
    // The base class sets these headers on accepted requests only.
    response.setHeader('RateLimit-Limit', limit);
    response.setHeader('RateLimit-Remaining', 0);
    response.setHeader('RateLimit-Reset', timeToBlockExpire);
    const access = accessOf(this.reflector, context);
    if (access?.kind === 'integration') this.metrics.countRateLimited(access.controller);
    const period = ttl === 60_000 ? 'minute' : `${ttl / 1_000} seconds`;
    throw new ServiceError(errorCatalogue.rateLimited, {
      message: `Too many requests: the limit is ${limit} per ${period}. Retry in ${timeToBlockExpire} seconds`,
      retryAfterSeconds: timeToBlockExpire,
    });
  }

  private readLimit(route: ExecutionContext): RouteLimit | undefined {
    const [handler, controller] = [route.getHandler(), route.getClass()];
    const setting = (key: string): unknown => this.reflector.getAllAndOverride(key, [handler, controller]);
    const access = accessOf(this.reflector, route);
    const [throttler] = this.throttlers;
    if (access?.kind !== 'integration' || throttler === undefined || setting(skipKey)) return undefined;
    const bucket = Reflect.hasMetadata(limitKey, handler) ? `${access.controller}.${handler.name}` : access.controller;
    return {
      throttler,
      limit: (setting(limitKey) ?? throttler.limit) as number,
      ttl: (setting(ttlKey) ?? throttler.ttl) as number,
      blockDuration: 0,
      getTracker: ({ integrationContext }: Partial<ApiRequest>) => integrationContext?.apiKey.id ?? '',
      generateKey: (_context, keyId) => `${bucket}:${keyId}`,
    };
  }

  /** Throws at startup if a throttler decorator would have no effect. */
  private assertSupported(controller: Type<object>): void {
    const prototype = controller.prototype as Record<string, () => void>;
    for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
      const handler = prototype[name];
      if (handler === undefined || !Reflect.hasMetadata(PATH_METADATA, handler)) continue;
      const settings = [...settingsOf(controller), ...settingsOf(handler)];
      const unsupported = settings.find(({ key, value }) => supported[key] !== typeof value);
      if (unsupported !== undefined) throw new Error(`${controller.name}.${name}: ${unsupported.key} is not supported`);
      const route = { getHandler: () => handler, getClass: () => controller } as unknown as ExecutionContext;
      if (settings.length > 0 && accessOf(this.reflector, route)?.kind !== 'integration') {
        throw new Error(`${controller.name}.${name}: @Throttle() and @SkipThrottle() work on public routes only`);
      }
    }
  }
}

/** Returns the throttler settings of a controller or handler with their metadata keys. */
function settingsOf(target: object): { key: string; value: unknown }[] {
  return Reflect.getMetadataKeys(target)
    .map((key) => ({ key: String(key), value: Reflect.getMetadata(key, target) as unknown }))
    .filter(({ key, value }) => key.startsWith('THROTTLER:') && value !== undefined);
}
