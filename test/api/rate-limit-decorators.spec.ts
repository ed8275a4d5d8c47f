import { Controller, type ExecutionContext, Get } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { SkipThrottle, Throttle } from '@nestjs/throttler';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { IntegrationRoute } from '../../src/access/access.decorators.js';
import { Clock } from '../../src/config/clock.js';
import { parseConfiguration } from '../../src/config/configuration.js';
import { ErrorFilter } from '../../src/errors/error.filter.js';
import { GlobalModule } from '../../src/global.module.js';
import { RateLimitGuard } from '../../src/guards/rate-limit.guard.js';
import type { ApiRequest } from '../../src/http/api-request.js';
import { RateLimitModule } from '../../src/rate-limit/rate-limit.module.js';

@Controller('schedules')
@IntegrationRoute('schedules')
@Throttle({ default: { limit: 5 } })
class GenerousController {
  @Get()
  list(): object {
    return {};
  }

  @Get('own')
  @Throttle({ default: { limit: () => 1, ttl: 10_000, generateKey: (_route, keyId) => `own:${keyId}` } })
  own(): object {
    return {};
  }

  @Get('free')
  @SkipThrottle()
  free(): object {
    return {};
  }
}

/** Recognizes the key in the query, as the access guard does. */
const knownKey = {
  canActivate: (context: ExecutionContext) => {
    const received = context.switchToHttp().getRequest<ApiRequest>();
    const apiKey = { id: received.query['key'] as string };
    Object.assign(received, { integrationContext: { apiKey }, requestId: 'request-1', clock: new Clock() });
    return true;
  },
};

describe('the decorators of @nestjs/throttler', () => {
  it('set the limits of a controller, and of a handler with its own count, for each key', async () => {
    const module = await Test.createTestingModule({
      imports: [GlobalModule.of(parseConfiguration({ RATE_LIMIT_PER_MINUTE: '3' })), RateLimitModule],
      controllers: [GenerousController],
      providers: [
        { provide: APP_GUARD, useValue: knownKey },
        { provide: APP_GUARD, useClass: RateLimitGuard },
      ],
    }).compile();
    const application = module.createNestApplication({ logger: false });
    application.useGlobalFilters(new ErrorFilter());
    await application.init();
    const send = (path: string, key = 'a') =>
      request(application.getHttpServer() as App).get(`/schedules${path}?key=${key}`);
    const answers = async (path: string, times: number) => {
      const all: unknown[] = [];
      for (let time = 0; time < times; time++) {
        const answer = await send(path);
        all.push([answer.status, answer.get('ratelimit-limit'), answer.get('ratelimit-remaining')]);
      }
      return all;
    };
    expect(await answers('', 6)).toEqual([
      ...['4', '3', '2', '1', '0'].map((remaining) => [200, '5', remaining]),
      [429, '5', '0'],
    ]);
    expect(await answers('/own', 2)).toEqual([
      [200, '1', '0'],
      [429, '1', '0'],
    ]);
    expect(await answers('/free', 7)).toEqual(Array(7).fill([200, undefined, undefined]));
    expect((await send('', 'b')).status).toBe(200);
    const refused = await send('/own');
    expect((refused.body as { error: number; message: string }).message).toContain('1 per 10 seconds');
    expect(refused.body).toMatchObject({ error: 42901 });
    expect(Number(refused.get('retry-after'))).toBeGreaterThan(0);
    await application.close();
  });
});
