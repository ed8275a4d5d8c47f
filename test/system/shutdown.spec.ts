import net from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginFrom } from '../support/admins.js';
import { rotateKey } from '../support/api-keys.js';
import { withRequestId } from '../support/audit.js';
import { createKey, createOrganization, api, type TestOrganization } from '../support/organization.js';
import { logLines, preload } from '../support/preload.js';
import { eventually, findProcesses } from '../support/processes.js';
import { RawConnection, statusesIn } from '../support/raw-http.js';
import { ServerProcess } from '../support/server-process.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongodProcess } from '../support/mongod-process.js';
import { testDatabaseUri } from '../support/test-database.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

const question = (route: string) => `GET ${route} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('a server that shuts down', () => {
  let server: RunningServer;
  const connections: RawConnection[] = [];

  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.close();
    await server.stop();
  });

  const start = async (environment: Record<string, string> = {}) => {
    server = await RunningServer.start(environment);
  };
  const connect = async (...said: string[]) => {
    const connection = await RawConnection.open(server.url);
    connections.push(connection);
    for (const text of said) connection.send(text);
    return connection;
  };
  /** Returns the head of a `POST /teams` request, and its body. */
  const createRequestParts = async (organization: TestOrganization, name: string) => {
    const body = JSON.stringify({ name, season: (await organization.season())._id });
    const lines = [
      `POST ${api}/teams HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${organization.key.apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    return { head: `${lines.join('\r\n')}\r\n\r\n`, body };
  };
  /** Sends a request without its body, which therefore hangs. */
  const sendHangingRequest = async (organization: TestOrganization) => {
    const { head } = await createRequestParts(organization, 'Never');
    const connection = await connect(head.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
    await connection.receives('100 Continue');
    return connection;
  };
  const isRefused = async () => {
    try {
      (await RawConnection.open(server.url)).close();
      return false;
    } catch {
      return true;
    }
  };

  it('with STOP_DELAY_SECONDS is not ready at once, also on open connections, keeps serving for the delay, completes every running request, also several on one connection, with Connection: close on the last, and exits with 0, also on signals within 0.1 s, as by one Ctrl-C that npm forwards, and waits for no idle connection and no hanging Redis', async () => {
    const sockets = new Set<net.Socket>();
    const redis = net.createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(redis, 'listening');
    const { port } = redis.address() as net.AddressInfo;
    await start({ STOP_DELAY_SECONDS: '2', REDIS_URL: `redis://127.0.0.1:${port}` });
    const organization = await createOrganization(server);
    const standing = await connect(question('/health/ready'));
    await standing.receives('"ok"');
    const [first, second] = await Promise.all(['One', 'Two'].map((name) => createRequestParts(organization, name)));
    const one = await connect(first?.head ?? '');
    const { head = '', body = '' } = second ?? {};
    const pipelined = await connect(`${head}${body}${head}`);
    await eventually('the first of two responses', async () =>
      (await organization.call('get', '/teams')).text.includes('Two'),
    );
    const season = (await organization.season())._id;
    await connect();
    const begun = Date.now();
    const ended = server.end('SIGINT');
    server.process.kill('SIGINT');
    await sleep(10);
    server.process.kill('SIGINT');
    await eventually('the shutdown', () => server.log.includes('"msg":"Stopping"'));
    standing.send(question('/health/ready'));
    await standing.receives('The server is stopping');
    expect(Date.now() - begun).toBeLessThan(1_500);
    // Clients that have not noticed yet are served, and asked to use another connection next time.
    const served = await organization.call('post', '/teams').send({ name: 'Late', season });
    expect([served.status, served.headers['connection']]).toEqual([201, 'close']);
    await eventually('new connections are rejected', isRefused);
    expect(Date.now() - begun).toBeGreaterThan(1_950);
    // There is one more request on the connection of the running one.
    pipelined.send(`${body.replace('Two', 'Six')}${question('/health/live')}`);
    one.send(first?.body ?? '');
    const [answered, answeredBoth] = [await one.transcript(), await pipelined.transcript()];
    expect(statusesIn(answered)).toEqual([201]);
    expect(answered).toMatch(/^Connection: close\r$/m);
    expect(statusesIn(answeredBoth)).toEqual([201, 201, 200]);
    expect(answeredBoth.match(/^Connection: close\r$/gm)).toHaveLength(1);
    const answeredAt = Date.now();
    expect(await ended).toBe(0);
    expect(Date.now() - answeredAt).toBeLessThan(3_000);
    expect(logLines(server.log, { msg: 'Stopped' })).toHaveLength(1);
    await standing.transcript();
    redis.close();
    for (const socket of sockets) socket.destroy();
  });

  describe('on a second signal', () => {
    it('exits at once with 128 and its number', async () => {
      await start({ STOP_DELAY_SECONDS: '60' });
      const ended = server.end('SIGTERM');
      await eventually('the shutdown', () => server.log.includes('"msg":"Stopping"'));
      await sleep(250);
      server.process.kill('SIGINT');
      expect(await ended).toBe(130);
    });
  });

  it('closes hanging requests after 10 s, has written what is buffered at once, sends no webhooks meanwhile, and exits with 0', async () => {
    await start({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
    const organization = await createOrganization(server);
    await organization.call('get', '/teams').expect(200);
    const rotated = await createOrganization(server);
    await rotateKey(server, rotated.key.id, { graceSeconds: 600 });
    await rotated.call('get', '/teams', rotated.key.apiKey).expect(200);
    const revoked = await createKey(server, organization.id);
    await server.asSuperAdmin('delete', `/api-keys/${revoked.id}`).expect(200);
    await organization.call('get', '/teams', revoked.apiKey).expect(401);
    const hanging = await sendHangingRequest(organization);
    const refusal = withRequestId(loginFrom(server, '127.0.0.1', organization.creator.email, 'a wrong password'));
    await refusal.call.expect(401);
    // Node no longer tracks a connection with malformed HTTP, although its client keeps it half open.
    const halfOpen = net.connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true });
    await once(halfOpen, 'connect');
    halfOpen.on('error', () => undefined).write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n');
    await once(halfOpen, 'data');
    // The failed delivery is due again in 5 s, while the server waits for the request.
    const receiver = await WebhookReceiver.start((response) => void response.writeHead(500).end());
    const endpoint = { url: receiver.url, events: eventsWithoutSeasons };
    await organization.call('post', '/webhook-endpoints').send(endpoint).expect(201);
    await organization.team();
    await receiver.waitFor(1);

    const begun = Date.now();
    const ended = server.end();
    const db = await server.database();
    const keyOf = ({ key: { keyPrefix } }: TestOrganization) => db.collection('apiKeys').findOne({ keyPrefix });
    await eventually('the last use is stored', async () => (await keyOf(organization))?.['lastUsedAt'] !== undefined);
    expect(server.process.exitCode).toBeNull();
    expect(await ended).toBe(0);
    const took = Date.now() - begun;
    expect(took).toBeGreaterThan(9_500);
    expect(took).toBeLessThan(14_000);
    expect(receiver.received).toHaveLength(1);
    halfOpen.destroy();
    await hanging.transcript();
    expect((await keyOf(organization))?.['lastUsedAt']).toBeInstanceOf(Date);
    expect(await keyOf(organization)).not.toHaveProperty('previousSecretUsedAt');
    expect((await keyOf(rotated))?.['previousSecretUsedAt']).toBeInstanceOf(Date);
    // Only the use of keys that were accepted counts.
    const rejected = await db.collection('apiKeys').findOne({ keyPrefix: revoked.keyPrefix });
    expect(rejected).not.toHaveProperty('lastUsedAt');
    expect(await db.collection('auditEvents').countDocuments({ requestId: refusal.id })).toBe(1);
    await receiver.stop();
  });
});

// Beside the others, because it only waits.
it.concurrent('a server whose shutdown hangs exits with 1 and the reason after 15 s', async () => {
  const hang = preload(`import net from 'node:net'; net.Server.prototype.close = function () { return this; };`);
  const server = await RunningServer.start(hang);
  const begun = Date.now();
  expect(await server.end()).toBe(1);
  expect(Date.now() - begun).toBeLessThan(17_000);
  const [line] = logLines(server.log, { level: 'error' });
  expect(line).toMatchObject({
    msg: expect.stringMatching(/^Shutdown timed out/) as string,
    waitingFor: 'running requests',
  });
  await server.stop();
});

describe('a server that stops while it starts', () => {
  const login = { SUPER_ADMIN_EMAIL: superAdmin.email, SUPER_ADMIN_PASSWORD: superAdmin.password };

  it('and has no database yet, skips the delay', async () => {
    const waiting = await ServerProcess.spawn({ MONGODB_URI: 'mongodb://127.0.0.1:1/x', STOP_DELAY_SECONDS: '60' });
    await waiting.waitForLog(/MongoDB is unavailable/);
    const begun = Date.now();
    expect(await waiting.end()).toBe(0);
    expect(Date.now() - begun).toBeLessThan(8_000);
    await waiting.remove();
  });

  it('and creates indexes, shuts down gracefully within 5 s', async () => {
    const mongod = await MongodProcess.start();
    await mongod.failCommands({ failCommands: ['createIndexes'], blockConnection: true, blockTimeMS: 20_000 });
    const server = await ServerProcess.spawn({ MONGODB_URI: mongod.uri, ...login });
    try {
      await eventually(
        'the server creates indexes',
        async () => (await mongod.countRunningCommands('createIndexes')) > 0,
        60,
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

  it('and its embedded database is starting, shuts down gracefully and leaves nothing behind', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stopping-test-'));
    const server = await ServerProcess.spawn({ MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'] ?? '' }, folder);
    try {
      await eventually('mongod has started', () => findProcesses(folder).length > 0, 60);
      expect(await server.end()).toBe(0);
      expect(findProcesses(folder)).toEqual([]);
      expect(server.log).not.toMatch(/"level":"(error|fatal)"|Error/);
    } finally {
      await server.end('SIGKILL');
      await eventually('no process is left', () => findProcesses(folder).length === 0);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('at any time of its start, logs only its shutdown', async () => {
    const stops = [150, 600, 1_000].map(async (pause) => {
      const server = await ServerProcess.spawn({ MONGODB_URI: testDatabaseUri(), ...login });
      await sleep(pause);
      // Before its first line of code runs, the signal itself ends the process.
      expect([0, 'SIGTERM']).toContain(await server.end());
      expect(server.log).not.toMatch(/"level":"(error|fatal)"|Error/);
      await server.remove();
    });
    await Promise.all(stops);
  });
});
