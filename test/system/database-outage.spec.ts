import { randomUUID } from 'node:crypto';
import { MongoClient, ObjectId } from 'mongodb';
import request, { type Response } from 'supertest';
import { expectError } from '../support/expectations.js';
import { createGame, qbRow, type TestGame } from '../support/game.js';
import { eventually } from '../support/processes.js';
import { database, serverOnOwnMongod } from '../support/mongod-process.js';
import { superAdmin } from '../support/server.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { countKeyReads } from '../support/key-reads.js';
import { api, createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { build } from '../../src/config/package.js';
import { unknownId } from '../support/http-routes.js';
import { synchronizedRecords } from '../support/synchronized.js';

const promised = 5_000;
const collections = ['schedules', 'players', 'teams', 'seasons', 'playerStatistics', 'organizations', 'users'];

jest.setTimeout(90_000);

const { server, mongod } = serverOnOwnMongod();
afterEach(() => mongod.failCommands());

/** Error code of a cursor that the database has closed. */
const cursorNotFound = 43;

describe('a replica without a current change stream, because', () => {
  const statusOf = async ({ key }: TestOrganization) =>
    (await request(server.url).get(`${api}/seasons`).set('Authorization', `Bearer ${key.apiKey}`)).status;

  async function readsOf(organization: TestOrganization): Promise<number> {
    return countKeyReads(await server.database(), async () => {
      for (let i = 0; i < 10; i++) expect(await statusOf(organization)).toBe(200);
    });
  }

  /** Revokes the key as another replica does. */
  async function revoke({ key }: TestOrganization): Promise<void> {
    const keys = (await server.database()).collection('apiKeys');
    await keys.updateOne({ _id: new ObjectId(key.id) }, { $set: { status: 'revoked' } });
  }

  const isCached = async (organization: TestOrganization) => (await readsOf(organization)) === 0;

  it.each([
    ['the stream breaks', { failCommands: ['getMore'], errorCode: cursorNotFound }],
    ['the stream hangs', { failCommands: ['getMore'], blockConnection: true as const, blockTimeMS: 2_000 }],
  ])('%s, reads the key on every request and rejects a revoked one at once', async (_, data) => {
    const organization = await createOrganization(server);
    await eventually('the key is cached', () => isCached(organization));
    await mongod.failCommands(data);
    // Until then, the last response counts as current.
    await sleep(400);
    expect(await readsOf(organization)).toBe(10);
    await revoke(organization);
    expect(await statusOf(organization)).toBe(401);
  });

  it('the database was down, caches keys again as soon as the stream is current', async () => {
    const organization = await createOrganization(server);
    await mongod.failCommands({ failCommands: ['getMore'], errorCode: cursorNotFound });
    await eventually('the log line', () => server.log.includes('There is no change stream'));
    await mongod.failCommands();
    await eventually('the key is cached', () => isCached(organization));
    await revoke(organization);
    await eventually('the key is rejected', async () => (await statusOf(organization)) === 401, 0.5);
  });

  it('it was interrupted, still rejects a key revoked meanwhile when the stream is current again', async () => {
    const organization = await createOrganization(server);
    await eventually('the key is cached', () => isCached(organization));
    await mongod.failCommands({ failCommands: ['getMore'], errorCode: cursorNotFound });
    await revoke(organization);
    await mongod.failCommands();
    const end = performance.now() + 1_500;
    await sleep(500);
    while (performance.now() < end) expect(await statusOf(organization)).toBe(401);
  });
});

describe('while the database blocks all writes', () => {
  let game: TestGame;
  let admin: MongoClient;

  beforeAll(async () => {
    game = await createGame(server);
    admin = await new MongoClient(mongod.uri).connect();
  });
  afterAll(() => admin.close());

  const writes = (): Record<string, () => PromiseLike<Response>> => {
    const { organization, home, schedule, homePlayer } = game;
    const dates = { startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
    const creator = { name: 'Dana Reyes', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    return {
      'new schedule': () =>
        organization
          .call('post', '/schedules')
          .send({ teamId: home._id, teamTwoName: 'F', startDate: dates.startDate }),
      'new player': () =>
        organization.call('post', `/teams/${home._id}/players`).set('idem-key', randomUUID()).send({ name: 'Jo' }),
      'changed schedule': () =>
        organization.call('patch', `/schedules/${schedule._id}`).send({ teamId: home._id, practiceNote: 'rain' }),
      'new season': () => server.asSuperAdmin('post', '/seasons').send({ name: 'Spring', ...dates }),
      'new statistics': () => game.put([qbRow(homePlayer)]),
      'new organization': () => server.asSuperAdmin('post', '/organizations').send({ name: 'Bay', creator }),
    };
  };

  const stored = () =>
    Promise.all(collections.map((name) => admin.db().collection(name).find().sort({ _id: 1 }).toArray()));

  it('they get 503 within 5 s and are not written later', async () => {
    const before = await stored();
    await admin.db('admin').command({ fsync: 1, lock: true });
    let responses: { what: string; response: Response; milliseconds: number }[];
    try {
      const sending = Object.entries(writes()).map(async ([what, send]) => {
        const begun = Date.now();
        const response = await send();
        return { what, response, milliseconds: Date.now() - begun };
      });
      responses = await Promise.all(sending);
    } finally {
      await admin.db('admin').command({ fsyncUnlock: 1 });
    }
    for (const { what, response, milliseconds } of responses) {
      expect([what, milliseconds < promised]).toEqual([what, true]);
      expectError(response, 50301);
    }
    for (const command of ['insert', 'findAndModify', 'commitTransaction'])
      await eventually(`no ${command} is running`, async () => (await mongod.countRunningCommands(command)) === 0);
    expect(await stored()).toEqual(before);
    for (const [what, send] of Object.entries(writes())) {
      const { status } = await send();
      expect([what, status < 300]).toEqual([what, true]);
    }
  });
});

/** Just below the socket timeout of the driver; two such reads exceed the deadline of a request. */
const slowRead = 2_400;

describe('a write whose request timed out', () => {
  /** Slows down all reads and clears the caches until a request has been rejected. */
  const whileReadsAreSlow = async (request: () => PromiseLike<Parameters<typeof expectError>[0]>) => {
    const stored = await server.database();
    for (const name of ['apiKeys', 'teams']) {
      await stored.collection(name).updateMany({}, { $set: { updatedAt: new Date() } });
    }
    await sleep(500);
    const slow = { failCommands: ['find', 'aggregate'], blockConnection: true, blockTimeMS: slowRead } as const;
    await mongod.failCommands({ ...slow, failCommands: [...slow.failCommands] });
    const response = await request();
    await mongod.failCommands();
    expectError(response, 50301);
    // A write that was still in progress would have been applied by now.
    await sleep(slowRead);
  };

  it('is not applied later: an update, which would undo a later one', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team();
    const { _id } = await organization.schedule(team._id);
    const change = (eventTitle: string) =>
      organization.call('patch', `/schedules/${_id}`).send({ teamId: team._id, eventTitle });
    await whileReadsAreSlow(() => change('refused'));

    const kept = await organization.call('get', `/schedules/${_id}`).expect(200);
    expect((kept.body as { data: { eventTitle: string } }).data.eventTitle).not.toBe('refused');
  });

  it('is not applied later: the statistics of a game', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team();
    const player = await organization.player(team._id);
    const { _id } = await organization.schedule(team._id);
    const path = `/schedules/${_id}/player-statistics`;
    const put = (passAttempts: number) =>
      server
        .asSuperAdmin('put', path)
        .send({ rows: [{ playerId: player._id, category: 'qb', stats: { passAttempts } }] });
    await put(1).expect(200);
    await whileReadsAreSlow(() => put(2));
    await sleep(3_000);
    const kept = await organization.call('get', path).expect(200);
    expect(kept.body).toMatchObject({ data: [{ stats: { passAttempts: 1 } }] });
  });
});

it.each([
  ['time limit', 'insert', 50],
  ['failover', 'update', 189],
] as const)(
  'a %s during the %s of a bulk upsert is 50301, and repeating it is safe',
  async (_what, command, errorCode) => {
    const records = await synchronizedRecords('player', await createOrganization(server));
    const existing = { externalId: 'existing', name: 'Existing' };
    await records.bulk([existing]).expect(200);
    const rows = [
      { ...existing, name: 'Changed' },
      { externalId: 'new', name: 'New' },
    ];
    await mongod.failCommands({ failCommands: [command], errorCode, namespace: `${database}.players` });
    expectError(await records.bulk(rows), 50301);
    await mongod.failCommands();
    expect((await records.bulk(rows).expect(200)).body).toMatchObject({ summary: { failed: 0 } });
    expect((await records.bulk(rows).expect(200)).body).toMatchObject({ summary: { unchanged: 2 } });
  },
);

describe('while the database', () => {
  let organization: TestOrganization;
  let team: Stored;
  let schedule: Stored;

  beforeAll(async () => {
    organization = await createOrganization(server);
    team = await organization.team();
    schedule = await organization.schedule(team._id);
  });

  /** Reads and writes of every kind, with a key, a token or no credential. */
  const requests = (): Record<string, () => PromiseLike<Response>> => ({
    'list of seasons': () => organization.call('get', '/seasons'),
    'list of teams': () => organization.call('get', '/teams'),
    'read of a schedule': () => organization.call('get', `/schedules/${schedule._id}`),
    statistics: () => organization.call('get', `/schedules/${schedule._id}/player-statistics`),
    'new player': () =>
      organization.call('post', `/teams/${team._id}/players`).set('idem-key', randomUUID()).send({ name: 'Jo' }),
    'change of a schedule': () =>
      organization.call('patch', `/schedules/${schedule._id}`).send({ teamId: team._id, practiceNote: 'rain' }),
    'deletion of a schedule': () => organization.call('delete', `/schedules/${unknownId}?teamId=${team._id}`),
    login: () => server.call('post', '/auth/login').send(superAdmin),
    'list of organizations': () => server.asSuperAdmin('get', '/organizations'),
    'write of statistics': () =>
      server.asSuperAdmin('put', `/schedules/${schedule._id}/player-statistics`).send({ rows: [] }),
  });

  const expectAllUnavailable = async () => {
    const responses = Object.entries(requests()).map(async ([what, send]) => {
      const begun = Date.now();
      const response = await send();
      return { what, response, milliseconds: Date.now() - begun };
    });
    for (const { what, response, milliseconds } of await Promise.all(responses)) {
      expect([what, milliseconds < promised]).toEqual([what, true]);
      expectError(response, 50301);
      expect([what, response.headers['retry-after']]).toEqual([what, expect.stringMatching(/^[1-9]\d*$/)]);
      expect(response.text).not.toMatch(/mongo|ECONN|127\.0\.0\.1|socket|timed out/i);
    }
  };
  const expectHealth = async () => {
    const begun = Date.now();
    await server.call('get', '/health/live').expect(200, { status: 'ok', ...build });
    const ready = await server.call('get', '/health/ready');
    expectError(ready, 50301);
    expect(ready.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(Date.now() - begun).toBeLessThan(promised);
  };
  const expectRecovered = async () => {
    await eventually('ready', async () => (await server.call('get', '/health/ready')).status === 200, 20);
    for (const [what, send] of Object.entries(requests())) {
      const { status } = await send();
      expect([what, status]).toEqual([
        what,
        what === 'deletion of a schedule' ? 404 : status < 300 ? status : 'below 300',
      ]);
    }
  };

  it('is down, every request gets 503 within 5 s, and the server recovers by itself', async () => {
    await mongod.kill();
    try {
      await expectAllUnavailable();
      await expectHealth();
    } finally {
      await mongod.start();
    }
    await expectRecovered();
    expect(server.process.exitCode).toBeNull();
  });

  it('hangs, every request gets 503 within 5 s, and the server recovers by itself', async () => {
    mongod.suspend();
    try {
      await expectAllUnavailable();
      await expectHealth();
    } finally {
      mongod.resume();
    }
    await expectRecovered();
  });
});
