import { EventEmitter } from 'node:events';
import { Logger, type LoggerService } from '@nestjs/common';
import type { Response } from 'express';
import { parseConfiguration } from '../common/config/configuration.js';
import { ServiceError } from '../common/errors/service-error.js';
import type { ApiRequest } from '../common/http/api-request.js';
import { Metrics } from '../common/metrics/metrics.js';
import type { ApiKeyAuthenticator } from '../modules/api-keys/api-key-authenticator.js';
import type { TokensService } from '../modules/auth/tokens.service.js';
import { OverloadMiddleware } from './overload.middleware.js';

/** Bodies that one caller may send at once: half of 1,024, because as many entries must stay free. */
const bodiesPerCaller = 512;

describe('the overload middleware', () => {
  const messages: unknown[] = [];

  beforeAll(() => {
    const note = (message: unknown): void => void messages.push(message);
    Logger.overrideLogger({ log: note, warn: note, error: note } satisfies LoggerService);
    jest.useFakeTimers();
  });
  afterAll(() => {
    jest.useRealTimers();
    Logger.overrideLogger(false);
  });

  it('leaves the log line about a rejected body to the error filter, and counts the rejection once', async () => {
    const unknown = { peekCaller: () => undefined };
    const metrics = new Metrics();
    const configuration = parseConfiguration({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const middleware = new OverloadMiddleware(
      unknown as unknown as ApiKeyAuthenticator,
      unknown as unknown as TokensService,
      configuration,
      metrics,
    );
    const receiveBody = async (): Promise<void> => {
      const request = { headers: {}, url: '/v1/public-api/teams', ip: '203.0.113.7' } as ApiRequest;
      await new Promise<void>((resolve) => middleware.use(request, new EventEmitter() as Response, () => resolve()));
      request.overload?.pause();
    };
    for (let body = 0; body < bodiesPerCaller; body++) await receiveBody();
    await expect(receiveBody()).rejects.toThrow(ServiceError);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(messages).toEqual([]);
    expect(await metrics.registry.getSingleMetricAsString('ffapi_requests_turned_away_total')).toContain(
      'reason="full"} 1',
    );
  });
});
