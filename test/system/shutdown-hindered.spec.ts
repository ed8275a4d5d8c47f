import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createOrganization } from '../support/organization.js';
import { MongodProcess } from '../support/mongod-process.js';
import { logLines } from '../support/preload.js';
import { eventually, findProcesses } from '../support/processes.js';
import { RawConnection } from '../support/raw-http.js';
import { ServerProcess } from '../support/server-process.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

describe('a server that stops while a request and the database hang', () => {
  it('exits within about 15 s, gracefully or with the reason', async () => {
    const mongod = await MongodProcess.start();
    const server = await RunningServer.start({ MONGODB_URI: mongod.uri });
    try {
      const organization = await createOrganization(server);
      await organization.call('get', '/teams').expect(200);
      const hanging = await RawConnection.open(server.url);
      hanging.send('GET /health/live HTTP/1.1\r\n');
      mongod.suspend();
      const begun = Date.now();
      const end = await server.end();
      expect(Date.now() - begun).toBeLessThan(17_000);
      expect([end, logLines(server.log, { level: 'error' }).length]).toEqual(end === 0 ? [0, 0] : [1, 1]);
      hanging.close();
    } finally {
      mongod.resume();
      await server.stop();
      await mongod.remove();
    }
  });
});

describe('a server that stops while it starts', () => {
  const login = { SUPER_ADMIN_EMAIL: superAdmin.email, SUPER_ADMIN_PASSWORD: superAdmin.password };

  it('and creates indexes, shuts down gracefully within 5 s', async () => {
    const mongod = await MongodProcess.start();
    await mongod.failCommands({ failCommands: ['createIndexes'], blockConnection: true, blockTimeMS: 20_000 });
    const server = await ServerProcess.spawn({ MONGODB_URI: mongod.uri, ...login });
    try {
      await eventually(
        'the server creates indexes',
        async () => (await mongod.countRunningCommands('createIndexes')) > 0,
      );
      const begun = Date.now();
      expect(await server.end()).toBe(0);
      expect(Date.now() - begun).toBeLessThan(5_000);
      expect(server.log).not.toMatch(/"level":"(error|fatal)"|^Error/m);
    } finally {
      await server.remove('SIGKILL');
      await mongod.remove();
    }
  });

  it.each([0, 250])(
    'and its embedded database has been starting for %d ms, shuts down gracefully and leaves nothing behind',
    async (pause) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'stopping-test-'));
      const server = await ServerProcess.spawn({ MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'] ?? '' }, folder);
      try {
        await eventually('mongod has started', () => findProcesses(folder).length > 0);
        await new Promise((resolve) => setTimeout(resolve, pause));
        expect(await server.end()).toBe(0);
        expect(findProcesses(folder)).toEqual([]);
        expect(server.log).not.toMatch(/"level":"(error|fatal)"|Error/);
      } finally {
        await server.end('SIGKILL');
        await eventually('no process is left', () => findProcesses(folder).length === 0);
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  it('at any time of its start, logs only its shutdown', async () => {
    for (const pause of [150, 600, 1_000]) {
      const server = await ServerProcess.spawn({ MONGODB_URI: testDatabaseUri(), ...login });
      await new Promise((resolve) => setTimeout(resolve, pause));
      // Before its first line of code runs, the signal itself ends the process.
      expect([0, 'SIGTERM']).toContain(await server.end());
      expect(server.log).not.toMatch(/"level":"(error|fatal)"|Error/);
      await server.remove();
    }
  });
});
