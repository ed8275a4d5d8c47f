import request from 'supertest';
import { build } from '../../src/config/package.js';
import { expectError } from '../support/expectations.js';
import { scrapeMetrics } from '../support/metrics.js';
import { MongodProcess } from '../support/mongod-process.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { withStartingServer } from '../support/starting-server.js';

jest.setTimeout(60_000);

const cursorNotFound = 43;
const question = 'GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('readiness', () => {
  const mongod = MongodProcess.forTests();

  afterEach(() => mongod.failCommands());

  it('lists what the start waits for: the database, the indexes, the first super admin; metrics are served', async () => {
    const admin = { SUPER_ADMIN_EMAIL: superAdmin.email, SUPER_ADMIN_PASSWORD: superAdmin.password };
    const waiting = 'The server is starting: waiting for the indexes and migrations, the first super admin';
    const blocked = { failCommands: ['createIndexes'], blockConnection: true, blockTimeMS: 3_000 };
    await mongod.kill();
    try {
      await withStartingServer({ MONGODB_URI: mongod.uri, METRICS_PORT: '0', ...admin }, async (url, server) => {
        const ready = () => request(url).get('/health/ready');
        // The reason is that of the first attempt.
        await eventuallyPasses(async () => {
          const response = await ready();
          expect(response.headers['retry-after']).toBe('1');
          const refused = `connect ECONNREFUSED 127.0.0.1:${mongod.port}`;
          expect(expectError(response, 50301).message).toBe(`The database is unreachable (${refused}); ${waiting}`);
        });
        const metrics = await scrapeMetrics(server);
        for (const name of ['ffapi_database_connected', 'ffapi_ready'])
          expect(metrics.matching(name)).toMatchObject([{ value: 0 }]);

        await mongod.start([
          '--setParameter',
          `failpoint.failCommand=${JSON.stringify({ mode: 'alwaysOn', data: blocked })}`,
        ]);
        const messages = new Set<string>();
        const isSaid = async () => {
          messages.add(((await ready()).body as { message: string }).message);
          return [...messages].some((message) => message.startsWith(`${waiting}; The index `));
        };
        await eventually('only the indexes are missing', isSaid);
        await mongod.failCommands();
        await server.waitForLog(/"msg":"Ready"/);
        await ready().expect(200);
      });
    } finally {
      await mongod.kill();
      await mongod.start();
    }
  });

  describe('of a running server', () => {
    let server: RunningServer;

    beforeAll(async () => {
      server = await RunningServer.start({ MONGODB_URI: mongod.uri, REDIS_URL: '', METRICS_PORT: '0' });
    });
    afterAll(() => server.stop());

    const ready = async () => (await server.call('get', '/health/ready').expect(200)).body as { degraded?: string[] };

    it('has no details if all is well', async () => {
      await eventually('the change feed is built', async () => (await ready()).degraded === undefined);
      expect(await ready()).toEqual({ status: 'ok', ...build });
    });

    it('continues as degraded while the change stream is down', async () => {
      await mongod.failCommands({ failCommands: ['getMore'], errorCode: cursorNotFound });
      const degraded = ['The change stream is unavailable: each request reads its API key from the database'];
      // The stream can be current for a moment between two attempts.
      await eventuallyPasses(async () => expect(await ready()).toEqual({ status: 'ok', ...build, degraded }));
      await mongod.failCommands();
      await eventually('the change stream is current again', async () => (await ready()).degraded === undefined);
    });

    it('ends with the database, which metrics show, and comes back with it', async () => {
      expect((await scrapeMetrics(server)).sum('ffapi_ready')).toBe(1);
      await mongod.kill();
      const isDown = async () => (await scrapeMetrics(server)).sum('ffapi_database_connected') === 0;
      await eventually('the database is down', isDown);
      const failures = async () =>
        (await scrapeMetrics(server)).sum('ffapi_database_operation_failures_total', { operation: 'findOne' });
      const before = await failures();
      await server.call('post', '/auth/login').send({ email: 'a@example.com', password: 'long enough' }).expect(503);
      const metrics = await scrapeMetrics(server);
      expect([metrics.sum('ffapi_ready'), metrics.sum('ffapi_change_stream_up')]).toEqual([0, 0]);
      expect(await failures()).toBe(before + 1);
      await mongod.start();
      await eventually('ready', async () => (await scrapeMetrics(server)).sum('ffapi_ready') === 1, 20);
      // Interrupted operations are neither in use nor waiting; the server's own can be either at any moment.
      await eventuallyPasses(async () => {
        const again = await scrapeMetrics(server);
        expect(again.sum('ffapi_database_pool_in_use')).toBeLessThanOrEqual(1);
        expect(again.sum('ffapi_database_pool_waiting')).toBe(0);
        expect(again.sum('ffapi_database_connected')).toBe(1);
        expect(again.sum('ffapi_database_pool_connections')).toBeGreaterThan(0);
      });
    });

    it('ends at once when the server stops, even if the database hangs', async () => {
      // A request without its body delays the shutdown; a kept connection checks readiness.
      const running = await RawConnection.open(server.url);
      const head = 'POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
      running.send(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
      await running.receives('100 Continue');
      const asking = await RawConnection.open(server.url);
      asking.send(question.replace('ready', 'live'));
      await asking.receives('"ok"');
      asking.send(question.slice(0, 20));
      await server.call('get', '/health/ready').expect(200);
      mongod.suspend();
      try {
        const ended = server.end();
        await eventually('the shutdown', () => server.log.includes('"msg":"Stopping"'));
        const begun = performance.now();
        asking.send(question.slice(20));
        await asking.receives('HTTP/1.1 503 ');
        await asking.receives('The server is stopping');
        expect(performance.now() - begun).toBeLessThan(500);
        mongod.resume();
        running.send('{}');
        expect(await ended).toBe(0);
      } finally {
        mongod.resume();
        for (const connection of [running, asking]) connection.close();
      }
    });
  });
});
