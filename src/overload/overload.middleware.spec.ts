import { EventEmitter } from 'node:events';
import { Logger, type LoggerService } from '@nestjs/common';
import type { Response } from 'express';
import { parseConfiguration } from '../config/configuration.js';
import { ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from '../http/api-request.js';
import { OpenConnections } from '../http/open-connections.js';
import { Metrics } from '../observability/metrics.js';
import type { ApiKeyAuthenticator } from '../modules/api-keys/api-key-authenticator.js';
import type { TokensService } from '../modules/auth/tokens.service.js';
import type { KnownNetworks } from '../modules/users/known-networks.js';
import { OverloadMiddleware } from './overload.middleware.js';
import { StrangerConnections } from './stranger-connections.js';

/** Bodies that one caller may send at once: half of 1,024, because as many places must stay free. */
const bodiesPerCaller = 512;

describe('the overload middleware', () => {
  const lines: { message: unknown; details: unknown }[] = [];

  beforeAll(() => {
    const note = (message: unknown, details: unknown): void => void lines.push({ message, details });
    Logger.overrideLogger({ log: note, warn: note, error: note } satisfies LoggerService);
    jest.useFakeTimers();
  });
  beforeEach(() => {
    lines.length = 0;
  });
  afterAll(() => {
    jest.useRealTimers();
    Logger.overrideLogger(false);
  });

  const unknown = { peekCaller: () => undefined };
  const createMiddleware = (metrics: Metrics) =>
    new OverloadMiddleware(
      unknown as unknown as ApiKeyAuthenticator,
      unknown as unknown as TokensService,
      parseConfiguration({ MAX_REQUESTS_IN_FLIGHT: '1' }),
      metrics,
      new StrangerConnections(),
      new OpenConnections(),
      { has: () => false } as unknown as KnownNetworks,
    );

  async function start(middleware: OverloadMiddleware): Promise<ApiRequest> {
    const request = { headers: {}, url: '/v1/public-api/teams', ip: '203.0.113.7' } as ApiRequest;
    await new Promise<void>((resolve) => middleware.use(request, new EventEmitter() as Response, () => resolve()));
    return request;
  }

  it('leaves the log line about a rejected body to the error filter, and counts the rejection once', async () => {
    const metrics = new Metrics();
    const middleware = createMiddleware(metrics);
    const receiveBody = async (): Promise<void> => (await start(middleware)).overload?.pause();
    for (let body = 0; body < bodiesPerCaller; body++) await receiveBody();
    await expect(receiveBody()).rejects.toThrow(ServiceError);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(lines).toEqual([]);
    expect(await metrics.registry.getSingleMetricAsString('ffapi_requests_shed_total')).toContain(
      'reason="queue_full"} 1',
    );
  });

  it('frees the slot of a large response when its receiver has left, although it is never ended', async () => {
    const metrics = new Metrics();
    const middleware = createMiddleware(metrics);
    const running = () => metrics.registry.getSingleMetricAsString('ffapi_limiter_running');
    const headers = new Set<string>();
    const response = Object.assign(new EventEmitter(), { hasHeader: (name: string) => headers.has(name) });
    const request = { headers: {}, url: '/v1/public-api/teams', ip: '203.0.113.7' } as ApiRequest;
    await new Promise<void>((resolve) => middleware.use(request, response as unknown as Response, () => resolve()));
    expect(await running()).toContain('pool="anonymous"} 1');
    headers.add('Content-Length');
    response.emit('close');
    expect(await running()).toContain('pool="anonymous"} 0');
  });

  it('logs the overload errors of the error filter once per second, with their number', async () => {
    const request = await start(createMiddleware(new Metrics()));
    expect(request.isCountedAsRejected).toBeUndefined();
    for (let error = 0; error < 3; error++) request.overload?.countRejection();
    expect(request.isCountedAsRejected).toBe(true);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(lines).toMatchObject([
      {
        message: expect.stringContaining('overloaded') as string,
        details: { rejected: 3, topCaller: { rejected: 3 } },
      },
    ]);
  });
});
