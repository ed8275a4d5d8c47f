import request from 'supertest';
import { build } from '../../src/config/package.js';
import { expectError } from '../support/expectations.js';
import { MongodProcess } from '../support/mongod-process.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { RawConnection } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { withStartingServer } from '../support/starting-server.js';

jest.setTimeout(60_000);

const cursorNotFound = 43;
const question = 'GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('readiness', () => {
  const mongod = MongodProcess.forTests();

  afterEach(() => mongod.failCommands());

  /** Runs an action with a server that cannot become ready. */
  function whileStarting(work: (ready: () => request.Test, server: ServerProcess) => Promise<void>): Promise<void> {
    const admin = { SUPER_ADMIN_EMAIL: superAdmin.email, SUPER_ADMIN_PASSWORD: superAdmin.password };
    return withStartingServer({ MONGODB_URI: mongod.uri, ...admin }, (url, server) =>
      work(() => request(url).get('/health/ready'), server),
    );
  }

  it('lists what the start waits for: the database, the indexes, the first super admin', async () => {
    await mongod.kill();
    try {
      await whileStarting(async (ready, server) => {
        // The reason is that of the first attempt.
        await eventuallyPasses(async () => {
          const response = await ready();
          expect(response.headers['retry-after']).toBe('1');
          expect(expectError(response, 50301).message).toBe(
            `The database is unreachable (connect ECONNREFUSED 127.0.0.1:${mongod.port}); The server is starting: waiting for the indexes and migrations, the first super admin`,
          );
        });
        await mongod.start();
        await server.waitForLog(/"msg":"Ready"/);
        await ready().expect(200);
      });
    } finally {
      await mongod.kill();
      await mongod.start();
    }
  });

  it('names the index but not the database while the indexes are created', async () => {
    await mongod.failCommands({ failCommands: ['createIndexes'], blockConnection: true, blockTimeMS: 3_000 });
    await whileStarting(async (ready, server) => {
      const messages = new Set<string>();
      const isSaid = async () => {
        messages.add(((await ready()).body as { message: string }).message);
        const waiting = 'The server is starting: waiting for the indexes and migrations, the first super admin';
        return [...messages].some((message) => message.startsWith(`${waiting}; The index `));
      };
      await eventually('only the indexes are missing', isSaid);
      await mongod.failCommands();
      await server.waitForLog(/"msg":"Ready"/);
      await ready().expect(200);
    });
  });

  describe('of a running server', () => {
    let server: RunningServer;

    beforeAll(async () => {
      server = await RunningServer.start({ MONGODB_URI: mongod.uri, REDIS_URL: '' });
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
