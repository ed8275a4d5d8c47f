import { newSecret, formatApiKey } from '../../src/modules/api-keys/api-key-format.js';
import type { Response } from 'supertest';
import { expectError } from '../support/expectations.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RawConnection, type RawResponse, statusesIn } from '../support/raw-http.js';
import { serverOnOwnMongod } from '../support/mongod-process.js';
import { MongoClient } from 'mongodb';

/** At most two requests in service, one per caller; 2,048 in the queue, at most 1,024 of one caller. */
const bound = { MAX_REQUESTS_IN_FLIGHT: '2', CORS_ORIGINS: 'https://app.example.com' };
const reading = ['find', 'aggregate', 'count'];

describe('an overloaded server', () => {
  const { server, mongod } = serverOnOwnMongod(bound);
  let crowded: TestOrganization;
  let steady: TestOrganization;

  beforeAll(async () => {
    crowded = await createOrganization(server, 'Crowded');
    steady = await createOrganization(server, 'Steady');
    for (const organization of [crowded, steady]) await organization.call('get', '/seasons').expect(200);
  });
  afterEach(async () => {
    mongod.resume();
    await mongod.failCommands();
    await eventually('the queue is empty', async () => (await crowded.call('get', '/seasons')).status === 200);
  });

  const slowDatabase = (blockTimeMS: number) =>
    mongod.failCommands({ failCommands: reading, blockConnection: true, blockTimeMS });
  /** Sends requests at once and calls `each` with every response in order. */
  const crowd = (size: number, each: (answer: Response) => void = () => undefined, key = crowded.key.apiKey) => {
    const one = async () => {
      const answer = await crowded.call('get', '/seasons', key).set('Origin', 'https://app.example.com');
      each(answer);
      return answer;
    };
    return Promise.all(Array.from({ length: size }, one));
  };
  /** Fills the queue of one caller; the responses arrive in order and are not read. */
  const fillTheQueue = async () => {
    const connections = await Promise.all(Array.from({ length: 13 }, () => RawConnection.open(server.url)));
    const asking = `GET ${api}/seasons HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${crowded.key.apiKey}\r\n\r\n`;
    for (const connection of connections) connection.send(asking.repeat(80));
    await eventually('the queue is full', async () => (await crowded.call('get', '/seasons')).status === 503);
    return { close: () => connections.forEach((connection) => connection.close()) };
  };
  const servedOf = (answers: readonly Response[]) => answers.filter(({ status }) => status === 200).length;
  const expectNothingLeaked = async () => {
    expect(servedOf(await crowd(20))).toBe(20);
    await steady.call('get', '/seasons').expect(200);
  };

  it('rejects requests beyond its limits at once, and after 3 s in the queue, with the error envelope; health checks respond', async () => {
    await slowDatabase(1_500);
    const late = crowd(8);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const filling = await fillTheQueue();
    const begun = performance.now();
    const atOnce = await crowd(20);
    // None of them waited for the one in service, which is served.
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(servedOf(atOnce)).toBe(0);
    for (const path of ['/health/live', '/health/ready']) await server.call('get', path).expect(200);
    const answers = await late;
    filling.close();
    expect(servedOf(answers)).toBeGreaterThan(0);
    const refusedLate = answers.filter(({ status }) => status === 503);
    expect(refusedLate.length).toBeGreaterThan(0);
    expect(refusedLate.length + servedOf(answers)).toBe(8);
    for (const answer of [...atOnce, ...refusedLate]) {
      expectError(answer, 50302);
      expect(answer.headers).toMatchObject({
        'retry-after': '1',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': 'https://app.example.com',
        vary: 'Origin',
      });
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
    }
    await mongod.failCommands();
    await expectNothingLeaked();
  });

  it('serves another organization next, not after the queue of the first', async () => {
    await slowDatabase(100);
    const answers: Response[] = [];
    const crowding = crowd(200, (answer) => answers.push(answer));
    await eventually('the queue is being served', () => answers.length > 0);
    const servedBefore = servedOf(answers);
    const newcomer = await steady.call('get', '/seasons');
    expect(newcomer.status).toBe(200);
    // Each response of the queue takes as long as this one, so one that waited for all would come after 200.
    expect(servedOf(answers) - servedBefore).toBeLessThan(10);
    await crowding;
    await mongod.failCommands();
    await expectNothingLeaked();
  });

  it('does not count a caller with a wrong secret as the organization of the key', async () => {
    await slowDatabase(300);
    const wrong = Array.from({ length: 280 }, () =>
      formatApiKey({ keyPrefix: steady.key.keyPrefix, secret: newSecret() }),
    );
    const refusals = wrong.map((key) => crowd(1, undefined, key));
    expect((await steady.call('get', '/seasons')).status).toBe(200);
    for (const [answer] of await Promise.all(refusals)) expect([401, 503]).toContain(answer?.status);
  });

  it('releases slots of clients that disconnected while queued or in service', async () => {
    await slowDatabase(500);
    const pending = Array.from({ length: 60 }, () => crowded.call('get', '/seasons').timeout(200));
    const gone = await Promise.allSettled(pending.map((request) => request.then()));
    expect(gone.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(50);
    await mongod.failCommands();
    await eventually('served again', async () => (await crowded.call('get', '/seasons')).status === 200, 3);
    await expectNothingLeaked();
  });

  const slow = (blockTimeMS: number, ...failCommands: string[]) =>
    mongod.failCommands({ failCommands, blockConnection: true, blockTimeMS });
  const head = (method: string, path: string, ...more: string[]) =>
    [
      `${method} ${api}${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${crowded.key.apiKey}`,
      ...more,
      '',
      '',
    ].join('\r\n');

  it('does not crash if a queued request is rejected for its body', async () => {
    await slow(4_000, 'find', 'aggregate', 'count');
    const inService = crowded.call('get', '/seasons').then(({ status }) => status);
    const connection = await RawConnection.open(server.url);
    const json = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.send(head('GET', '/teams') + head('POST', '/teams', ...json));
    await new Promise((resolve) => setTimeout(resolve, 300));
    connection.send('ZZZ\r\n');
    expect(statusesIn(await connection.transcript(8))).toEqual([503, 400]);
    expect([200, 503]).toContain(await inService);
    await server.call('get', '/health/live').expect(200);
  });

  it('keeps its limit if many bodies arrive at once', async () => {
    const team = JSON.stringify({ name: 'Hawks', season: (await crowded.season())._id });
    const json = ['Content-Type: application/json', `Content-Length: ${team.length}`, 'Connection: close'];
    const connections: RawConnection[] = [];
    for (let i = 0; i < 10; i++) {
      const connection = await RawConnection.open(server.url);
      connection.send(head('POST', '/teams', ...json));
      connections.push(connection);
    }
    // Nothing shows that the server waits for a body; a request that is not yet that far is queued.
    await new Promise((resolve) => setTimeout(resolve, 700));
    await slow(250, 'insert');
    for (const connection of connections) connection.send(team);
    const answering = Promise.all(connections.map((connection) => connection.response()));
    let answers: RawResponse[] | undefined;
    void answering.then((all) => (answers = all));
    let most = 0;
    await eventually('all responses', async () => {
      most = Math.max(most, await mongod.countRunningCommands('insert', 'teams'));
      return answers !== undefined;
    });
    expect(most).toBe(1);
    const statuses = (await answering).map(({ status }) => status);
    expect(statuses.every((status) => status === 201 || status === 503)).toBe(true);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(2);
  });

  it('serves any number of health checks from the same machine; all share one database check', async () => {
    const client = new MongoClient(`mongodb://127.0.0.1:${mongod.port}/?directConnection=true`);
    const pings = async () => {
      const { metrics } = await client.db('admin').command({ serverStatus: 1 });
      return (metrics as { commands: { ping: { total: number } } }).commands.ping.total;
    };
    await slow(500, 'ping');
    const check = () => server.call('get', '/health/ready');
    const before = await pings();
    const flood = await Promise.all(Array.from({ length: 64 }, check));
    expect((await pings()) - before).toBe(1);
    await client.close();
    expect(flood.map(({ status }) => status)).toEqual(flood.map(() => 200));
  });
});
