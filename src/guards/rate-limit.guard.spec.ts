import { Controller, type ExecutionContext, Get, type Type } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { SkipThrottle, Throttle } from '@nestjs/throttler';
import type { App } from 'supertest/types.js';
import request from 'supertest';
import { AdminRoute, IntegrationRoute, OpenRoute } from '../access/access.decorators.js';
import { Clock } from '../config/clock.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from '../http/api-request.js';
import { GlobalModule } from '../global.module.js';
import { Metrics } from '../observability/metrics.js';
import { parseConfiguration } from '../config/configuration.js';
import { HitCounter } from '../rate-limit/hit-counter.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';

@IntegrationRoute('teams')
class Teams {}

@IntegrationRoute('players')
class Players {}

@AdminRoute('superAdmin')
class Admins {}

@OpenRoute()
class Health {}

const limit = 3;
const configuration = parseConfiguration({ RATE_LIMIT_PER_MINUTE: String(limit) });

describe('the rate limit', () => {
  let guard: RateLimitGuard;

  beforeEach(async () => {
    jest.useFakeTimers();
    const metrics = new Metrics();
    const counter = new HitCounter(configuration, metrics);
    const throttlers = [{ ttl: 60_000, limit }];
    guard = Object.assign(new RateLimitGuard(throttlers, counter, new Reflector()), { metrics });
    await guard.onModuleInit();
  });

  afterEach(() => jest.useRealTimers());

  /** Sends a request and returns the response headers and the error, if any. */
  const send = async (keyId: string | undefined = 'key', controller: Type = Teams) => {
    const headers: Record<string, number> = {};
    const request = { integrationContext: keyId === '' ? undefined : { apiKey: { id: keyId } } };
    const setHeader = (name: string, value: number) => void (headers[name] = value);
    const response = { header: setHeader, setHeader };
    const context = {
      getHandler: () => send,
      getClass: () => controller,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as unknown as ExecutionContext;
    const error = await guard.canActivate(context).then(
      () => undefined,
      (error: unknown) => error as ServiceError,
    );
    return { headers, error };
  };

  const headersOf = (remaining: number, reset: number) => ({
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': reset,
  });

  it('accepts requests up to the limit, with remaining count and reset time', async () => {
    expect(await send()).toEqual({ headers: headersOf(2, 60), error: undefined });
    await jest.advanceTimersByTimeAsync(10_400);
    expect(await send()).toEqual({ headers: headersOf(1, 50), error: undefined });
    expect(await send()).toEqual({ headers: headersOf(0, 50), error: undefined });
  });

  it('rejects the next one with 42901, the headers and the seconds to wait', async () => {
    for (let request = 0; request < limit; request++) await send();
    await jest.advanceTimersByTimeAsync(59_100);
    const { headers, error } = await send();
    expect(headers).toEqual({ ...headersOf(0, 1), 'Retry-After': 1 });
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 429, entry: { code: 42901 }, retryAfterSeconds: 1 });
  });

  it.each([0, 1, 999, 1_000, 30_500, 59_999])(
    'accepts a request after the advertised wait, if rejected after %d ms',
    async (elapsed) => {
      for (let request = 0; request < limit; request++) await send();
      await jest.advanceTimersByTimeAsync(elapsed);
      const { error } = await send();
      await jest.advanceTimersByTimeAsync((error?.retryAfterSeconds ?? 0) * 1_000);
      expect(await send()).toEqual({ headers: headersOf(2, 60), error: undefined });
    },
  );

  it('is not extended by rejected requests', async () => {
    for (let second = 0; second < 60; second++) {
      await send();
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect((await send()).error).toBeUndefined();
  });

  it('accepts exactly the limit of 100 concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => send()));
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(limit);
  });

  it('counts keys and controllers separately', async () => {
    for (let request = 0; request <= limit; request++) await send();
    expect((await send('another key')).error).toBeUndefined();
    expect((await send('key', Players)).error).toBeUndefined();
    expect((await send()).error).toBeDefined();
  });

  it.each([
    ['admin', Admins],
    ['open', Health],
  ])('holds back no request to %s routes, and sends them no headers', async (_, controller) => {
    for (let request = 0; request < 10; request++) {
      expect(await send('key', controller)).toEqual({ headers: {}, error: undefined });
    }
  });
});

@Controller('schedules')
@IntegrationRoute('schedules')
@Throttle({ default: { limit: 5 } })
class GenerousController {
  @Get()
  list(): object {
    return {};
  }

  @Get('own')
  @Throttle({ default: { limit: () => 1, ttl: 10_000 } })
  own(): object {
    return {};
  }

  @Get('free')
  @SkipThrottle()
  free(): object {
    return {};
  }
}

describe('the decorators of @nestjs/throttler', () => {
  /** Starts the controllers behind the guard, with a key that the access guard has recognized. */
  async function startWith(...controllers: Type[]) {
    const knownKey = {
      canActivate: (context: ExecutionContext) => {
        const known = { integrationContext: { apiKey: { id: 'key' } }, requestId: 'request-1', clock: new Clock() };
        Object.assign(context.switchToHttp().getRequest<ApiRequest>(), known);
        return true;
      },
    };
    const module = await Test.createTestingModule({
      imports: [GlobalModule.of(configuration), RateLimitModule],
      controllers,
      providers: [
        { provide: APP_GUARD, useValue: knownKey },
        { provide: APP_GUARD, useClass: RateLimitGuard },
      ],
    }).compile();
    const application = module.createNestApplication({ logger: false });
    application.useGlobalFilters(new ErrorFilter());
    return application.init();
  }

  it('set the limits of a controller, and of a handler with its own count', async () => {
    const application = await startWith(GenerousController);
    const server = application.getHttpServer() as App;
    const answers = async (path: string, times: number) => {
      const all: unknown[] = [];
      for (let time = 0; time < times; time++) {
        const answer = await request(server).get(path);
        const left = ['limit', 'remaining', 'reset'].map((name) => answer.get(`ratelimit-${name}`));
        all.push([answer.status, ...left]);
      }
      return all;
    };
    expect(await answers('/schedules', 6)).toEqual([
      ...['4', '3', '2', '1', '0'].map((remaining) => [200, '5', remaining, '60']),
      [429, '5', '0', '60'],
    ]);
    expect(await answers('/schedules/own', 2)).toEqual([
      [200, '1', '0', '10'],
      [429, '1', '0', '10'],
    ]);
    expect(await answers('/schedules/free', 7)).toEqual(Array(7).fill([200, undefined, undefined, undefined]));
    const refused = await request(server).get('/schedules/own');
    expect(refused.body).toMatchObject({
      error: 42901,
      message: expect.stringContaining('1 per 10 seconds') as unknown,
    });
    expect(refused.get('retry-after')).toBe('10');
    await application.close();
  });
});
