import { Logger } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import type { ApiRequest } from '../../http/api-request.js';
import type { FailedRequestRecord } from './failed-request.schema.js';
import { FailedRequestsRepository } from './failed-requests.repository.js';
import { FailedRequests } from './failed-requests.service.js';
import { UsageService } from './usage.service.js';

describe('FailedRequests', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  function createRequests() {
    let stored: FailedRequestRecord[] = [];
    let now = 0;
    let isUnreachable = false;
    const insert = (requests: readonly FailedRequestRecord[]) => {
      if (isUnreachable) return Promise.reject(new Error('unreachable'));
      stored.push(...requests);
      return Promise.resolve();
    };
    const rejections: unknown[] = [];
    const requests = new FailedRequests(
      Object.assign(Object.create(FailedRequestsRepository.prototype) as FailedRequestsRepository, { insert }),
      Object.assign(Object.create(UsageService.prototype) as UsageService, {
        recordRejection: (...counted: unknown[]) => void rejections.push(counted),
      }),
      { now: () => new Date(now) },
    );
    const fail = (keyId: string, times: number, rejected = false) => {
      const key = {
        id: keyId,
        name: 'ERP',
        keyPrefix: 'ffk_live_4fK2mZ81pQxT',
        organizationId: '6650f1f77bcf86cd79943911',
      };
      const named = rejected ? { rejectedKey: { ...key, reason: 'revoked' } } : { knownKey: key };
      const error = new ServiceError('invalidApiKey');
      const request = { ...named, error, requestId: 'request-1', method: 'GET', ip: '203.0.113.7', arrivedAt: 0 };
      for (let time = 0; time < times; time++) requests.record(request as unknown as ApiRequest);
    };
    const flush = async () => {
      stored = [];
      await requests.flush();
      return Object.fromEntries(
        [...Map.groupBy(stored, ({ apiKey }) => apiKey.id)].map(([id, { length }]) => [id, length]),
      );
    };
    const state = { rejections, setUnreachable: (value: boolean) => (isUnreachable = value) };
    return { fail, flush, advance: (milliseconds: number) => (now += milliseconds), ...state };
  }

  it('stores at most 60 requests per minute and key, and counts each use of a rejected key', async () => {
    const { fail, flush, advance, rejections } = createRequests();
    fail('flooding', 2_000, true);
    fail('other', 2);
    expect(await flush()).toEqual({ flooding: 60, other: 2 });
    expect(rejections).toHaveLength(2_000);
    expect(rejections[0]).toEqual([expect.objectContaining({ id: 'flooding' }), 40101, '203.0.113.7']);
    fail('flooding', 2_000, true);
    fail('other', 1);
    expect(await flush()).toEqual({ other: 1 });
    advance(60_000);
    fail('flooding', 2_000, true);
    expect(await flush()).toEqual({ flooding: 60 });
  });

  it('keeps at most 1,000 requests while the database is unreachable, and loses the others', async () => {
    const { fail, flush, setUnreachable } = createRequests();
    setUnreachable(true);
    for (let key = 0; key < 50; key++) {
      fail(`key ${key}`, 60);
      await flush();
    }
    setUnreachable(false);
    expect(Object.values(await flush()).reduce((sum, count) => sum + count, 0)).toBe(1_000);
    expect(await flush()).toEqual({});
  });
});
