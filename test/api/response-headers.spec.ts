import type { Response } from 'supertest';
import { uniqueMark, SecretTracker } from '../support/secret-tracker.js';
import { type OperationFixture, OperationDriver } from '../support/operation-driver.js';
import { type Operation, operations } from '../support/operations.js';
import { api } from '../support/organization.js';
import { exchange } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

type Sent = Pick<Response, 'headers'> & { status?: number; body?: unknown };

/** Operations whose ETag is a revision that is not in the body. */
const counted = ['getPlayerStatistics', 'writePlayerStatistics', 'getOrganizationStatistics'];
/** Operations after which others would fail. */
const isDestructive = ({ id }: Operation) =>
  /^(delete|toggle|erase|reset|revoke|rotate|update|change|confirm|logout|end)/.test(id);
/** Operations whose ETag is the version of many records. */
const versioned = ['getStandings', 'getSeasonStatistics', 'getCalendar'];

describe('every response', () => {
  const server = RunningServer.forTests();
  let driver: OperationDriver;
  let sharedFixture: OperationFixture;

  beforeAll(async () => {
    driver = new OperationDriver(server, new SecretTracker(), uniqueMark());
    sharedFixture = await driver.createFixture();
  });

  /** Checks that a response cannot be cached or sniffed, reveals no software, and has an ETag only for a record or a version. */
  const expectPrivate = ({ status, headers, body }: Sent, { id = '', caller }: Partial<Operation> = {}) => {
    const { revision, data } = (body ?? {}) as { revision?: number; data?: { revision?: number } };
    const current = caller === 'apiKey' ? (revision ?? data?.revision) : undefined;
    if (status === 200 && versioned.includes(id)) expect(headers['etag']).toMatch(/^"[\w-]{43}"$/);
    else if (status === 200 && counted.includes(id)) expect(headers['etag']).toMatch(/^"\d+"$/);
    else expect(headers['etag']).toBe(current === undefined ? undefined : `"${current}"`);
    const caching = status === 200 && id === 'getCalendar' ? 'private, max-age=300' : 'no-store';
    expect(headers).toMatchObject({ 'cache-control': caching, 'x-content-type-options': 'nosniff' });
    for (const name of ['x-powered-by', 'server', 'last-modified', 'set-cookie']) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(headers['x-request-id']).toMatch(/^[\w.-]{8,128}$/);
  };

  it.each(operations)('of $id is private if it succeeds', async (operation) => {
    const fixture = isDestructive(operation) ? await driver.createFixture(operation) : sharedFixture;
    expectPrivate(await driver.succeed(operation, fixture), operation);
  });

  // What rejects them is the same for all.
  const rejecting = operations.filter(({ id }) => ['updateTeam', 'updateOrganization', 'login'].includes(id));
  it.each(rejecting)('of $id is private if it is rejected', async (operation) => {
    const call = await driver.callOf(operation, sharedFixture);
    const rejected = [
      await driver.send(operation, { ...call, headers: { Authorization: 'Bearer nonsense' }, body: '[]' }),
      await driver.send(operation, { ...call, query: { surprise: '1' } }),
      await driver.send(operation, { ...call, body: '{' }),
      await driver.send({ ...operation, method: 'options' }, { ...call, body: undefined }),
    ];
    for (const response of rejected) {
      expect(response.status).toBeGreaterThanOrEqual(400);
      expectPrivate(response, operation);
    }
  });

  it.each(['/nothing', '/', `${api}/teams/%zz/players`])('to an unknown path is private: %s', async (path) => {
    expectPrivate(await server.call('get', path));
    expectPrivate(await server.call('head', path));
  });

  it.each([
    ['text that is not HTTP', 'hello\r\n\r\n'],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a target that is not a URL', 'GET http:// HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('to a request that Express does not see is private: %s', async (_what, request) => {
    expectPrivate(await exchange(server.url, request));
  });
});
