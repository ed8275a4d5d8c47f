import type { Response } from 'supertest';
import { uniqueMark, SecretTracker } from '../support/secret-tracker.js';
import { type OperationFixture, OperationDriver } from '../support/operation-driver.js';
import { operations } from '../support/operations.js';
import { api } from '../support/organization.js';
import { exchange } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';

describe('every answer', () => {
  let server: RunningServer;
  let driver: OperationDriver;
  let readable: OperationFixture;

  beforeAll(async () => {
    server = await RunningServer.shared();
    driver = new OperationDriver(server, new SecretTracker(), uniqueMark());
    readable = await driver.createFixture();
  });
  afterAll(() => server.stop());

  /** Checks that an answer is kept by nobody, is not taken for another type, and says nothing of the program. */
  const isPrivate = ({ headers }: Pick<Response, 'headers'>) => {
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    for (const name of ['x-powered-by', 'server', 'etag', 'last-modified', 'set-cookie']) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(headers['x-request-id']).toMatch(/^[\w.-]{8,128}$/);
  };

  it.each(operations)('of $id is for its caller alone: success and refusals', async (operation) => {
    const arranged = operation.method === 'get' ? readable : await driver.createFixture();
    const call = await driver.callOf(operation, arranged);
    const rejected = [
      await driver.send(operation, { ...call, headers: {} }),
      await driver.send(operation, { ...call, headers: { Authorization: 'Bearer nonsense' } }),
      await driver.send(operation, { ...call, query: { surprise: '1' } }),
      await driver.send(operation, { ...call, body: '{' }),
      await driver.send({ ...operation, method: 'options' }, { ...call, body: undefined }),
    ];
    for (const response of rejected) isPrivate(response);
    // Without a key or a token, what is open to anybody succeeds.
    const wrong = rejected.filter(({ status }) => status < 400);
    expect(wrong).toHaveLength(operation.caller === 'anybody' ? 2 : 0);
    isPrivate(await driver.succeed(operation, arranged));
  });

  it.each(['/nothing', '/', `${api}/teams/%zz/players`])('to a path that is not there, too: %s', async (path) => {
    isPrivate(await server.call('get', path));
    isPrivate(await server.call('head', path));
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a target that is no URL', 'GET http:// HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('to what Express never sees, too: %s', async (_what, request) => {
    isPrivate(await exchange(server.url, request));
  });

  it.each(['/docs', '/openapi.json', '/admin/openapi.json'])(
    'that publishes a document guards its type: %s',
    async (path) => {
      const { headers } = await server.call('get', path).expect(200);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers['content-security-policy']).toMatch(/default-src 'self'/);
    },
  );
});
