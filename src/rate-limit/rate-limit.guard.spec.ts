import { type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AdminRoute, IntegrationRoute, OpenRoute } from '../common/context/access.decorators.js';
import { Metrics } from '../common/metrics/metrics.js';
import { ServiceError } from '../common/errors/service-error.js';
import { type RateLimit, RateLimitGuard } from './rate-limit.guard.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import { RequestCounter } from './request-counter.js';

@IntegrationRoute('teams')
class Teams {}

@IntegrationRoute('players')
class Players {}

@AdminRoute('superAdmin')
class Admins {}

@OpenRoute()
class Health {}

const limit = 3;

describe('the rate limit', () => {
  let counter: RequestCounter;
  let guard: RateLimitGuard;

  beforeEach(() => {
    jest.useFakeTimers();
    counter = new RequestCounter({ warn: () => undefined, info: () => undefined });
    const options: { throttlers: [RateLimit] } = { throttlers: [{ ttl: 60_000, limit }] };
    guard = new RateLimitGuard(options, new RateLimitStorage(counter), new Reflector(), new Metrics());
  });

  afterEach(() => {
    counter.onApplicationShutdown();
    jest.useRealTimers();
  });

  /** Sends one request: the headers of its answer, and the refusal if it was refused. */
  const send = async (keyId: string | undefined = 'key', controller: Type = Teams) => {
    const headers: Record<string, number> = {};
    const request = { integrationContext: keyId === '' ? undefined : { apiKey: { id: keyId } } };
    const response = { setHeader: (name: string, value: number) => void (headers[name] = value) };
    const context = {
      getHandler: () => send,
      getClass: () => controller,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as unknown as ExecutionContext;
    const refusal = await guard.canActivate(context).then(
      () => undefined,
      (error: unknown) => error as ServiceError,
    );
    return { headers, refusal };
  };

  const headersOf = (remaining: number, reset: number) => ({
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': reset,
  });

  it('lets as many requests through as are allowed, and says on each what is left and for how long', async () => {
    expect(await send()).toEqual({ headers: headersOf(2, 60), refusal: undefined });
    await jest.advanceTimersByTimeAsync(10_400);
    expect(await send()).toEqual({ headers: headersOf(1, 50), refusal: undefined });
    expect(await send()).toEqual({ headers: headersOf(0, 50), refusal: undefined });
  });

  it('refuses the next one with 42901, the headers and the seconds to wait', async () => {
    for (let request = 0; request < limit; request++) await send();
    await jest.advanceTimersByTimeAsync(59_100);
    const { headers, refusal } = await send();
    expect(headers).toEqual(headersOf(0, 1));
    expect(refusal).toBeInstanceOf(ServiceError);
    expect(refusal).toMatchObject({ status: 429, entry: { code: 42901 }, retryAfterSeconds: 1 });
  });

  it.each([0, 1, 999, 1_000, 30_500, 59_999])(
    'lets the next request through after the advertised wait, refused after %d ms',
    async (elapsed) => {
      for (let request = 0; request < limit; request++) await send();
      await jest.advanceTimersByTimeAsync(elapsed);
      const { refusal } = await send();
      await jest.advanceTimersByTimeAsync((refusal?.retryAfterSeconds ?? 0) * 1_000);
      expect(await send()).toEqual({ headers: headersOf(2, 60), refusal: undefined });
    },
  );

  it('is not prolonged by requests that are refused', async () => {
    for (let second = 0; second < 60; second++) {
      await send();
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect((await send()).refusal).toBeUndefined();
  });

  it('accepts exactly as many as are allowed of a hundred at once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => send()));
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(limit);
  });

  it('counts each key and each controller apart', async () => {
    for (let request = 0; request <= limit; request++) await send();
    expect((await send('another key')).refusal).toBeUndefined();
    expect((await send('key', Players)).refusal).toBeUndefined();
    expect((await send()).refusal).toBeDefined();
  });

  it.each([
    ['admin', Admins],
    ['open', Health],
  ])('holds back no request to %s routes, and sends them no headers', async (_, controller) => {
    for (let request = 0; request < 10; request++) {
      expect(await send('key', controller)).toEqual({ headers: {}, refusal: undefined });
    }
  });
});
