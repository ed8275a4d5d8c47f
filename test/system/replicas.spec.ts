import { ObjectId, type Db } from 'mongodb';
import request, { type Response } from 'supertest';
import { countKeyReads } from '../support/key-reads.js';
import { createOrganization, api, type TestOrganization, type Stored } from '../support/organization.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { CrashableServer } from '../support/crashable-server.js';
import { expectDemoLeague } from '../support/sandbox.js';
import { patchSchedule, secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mapBounded } from '../support/concurrency.js';
import { expectError } from '../support/expectations.js';

jest.setTimeout(180_000);

const one = RunningServer.forTests({});
/** Some tests kill it, and go on with its successor. */
const mortal = CrashableServer.forTests(one);
beforeEach(async () => {
  if (mortal.server.process.signalCode !== null) await mortal.crash();
});

const promised = 500;

/** Changes that end a key, each made on one replica. */
const endings: Record<string, (organization: TestOrganization) => Promise<unknown>> = {
  'it is revoked': ({ server, key }) => server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200),
  'it is rotated': ({ server, key }) => server.asSuperAdmin('post', `/api-keys/${key.id}/rotate`).expect(200),
  'its organization is disabled': ({ server, id }) =>
    server.asSuperAdmin('patch', `/organizations/${id}`).send({ disabled: true }).expect(200),
  'its creator is disabled': ({ server, creator }) =>
    server.asSuperAdmin('patch', `/users/${creator._id}`).send({ disabled: true }).expect(200),
};

describe('a key that two replicas have cached', () => {
  const statusOn = async ({ url }: RunningServer, key: string) =>
    (await request(url).get(`${api}/seasons`).set('Authorization', `Bearer ${key}`)).status;

  /** Creates an organization whose key both replicas have cached. */
  async function createCachedKey(): Promise<TestOrganization> {
    const organization = await createOrganization(one);
    const database = await one.database();
    for (const server of [one, mortal.server]) {
      const remembered = async () =>
        (await countKeyReads(database, async () => {
          expect(await statusOn(server, organization.key.apiKey)).toBe(200);
        })) === 0;
      await eventually('the key is cached', remembered);
    }
    return organization;
  }

  it.each(Object.entries(endings))(
    'when %s, stops working on the same replica with the next request, and on the other one within 0.5 s',
    async (_, end) => {
      const organization = await createCachedKey();
      await end(organization);
      const ended = performance.now();
      expect(await statusOn(one, organization.key.apiKey)).toBe(401);
      while ((await statusOn(mortal.server, organization.key.apiKey)) !== 401) {
        expect(performance.now() - ended).toBeLessThan(promised);
      }
    },
  );

  it.each([
    ['organization', ({ id }: TestOrganization) => `/organizations/${id}`],
    ['creator', ({ creator }: TestOrganization) => `/users/${creator._id}`],
  ])('works again with the next request when its %s is enabled again', async (_, pathOf) => {
    const organization = await createCachedKey();
    const set = (disabled: boolean) => one.asSuperAdmin('patch', pathOf(organization)).send({ disabled }).expect(200);
    await set(true);
    expect(await statusOn(one, organization.key.apiKey)).toBe(401);
    await set(false);
    expect(await statusOn(one, organization.key.apiKey)).toBe(200);
    await eventually(
      'the other replica',
      async () => (await statusOn(mortal.server, organization.key.apiKey)) === 200,
      1,
    );
  });

  it('stops working within 0.5 s if it is revoked directly in the database', async () => {
    const { key } = await createCachedKey();
    const keys = (await one.database()).collection('apiKeys');
    await keys.deleteOne({ _id: new ObjectId(key.id) });
    await eventually('both reject the key', async () => (await statusOn(one, key.apiKey)) === 401, promised / 1_000);
    await eventually(
      'both reject the key',
      async () => (await statusOn(mortal.server, key.apiKey)) === 401,
      promised / 1_000,
    );
  });

  it('stops working with the first request after a paused replica resumes', async () => {
    for (let round = 0; round < 3; round++) {
      const { server, key } = await createCachedKey();
      mortal.server.process.kill('SIGSTOP');
      // The response in its socket is older than the revocation, so it must not count as current.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200);
      await new Promise((resolve) => setTimeout(resolve, promised));
      // It is in the socket when the process resumes, before any response of the database.
      const first = statusOn(mortal.server, key.apiKey);
      await new Promise((resolve) => setTimeout(resolve, 20));
      mortal.server.process.kill('SIGCONT');
      expect(await first).toBe(401);
    }
  });
});

it('the name of a team that two replicas have cached is changed at once on its replica, and soon on the other', async () => {
  const organization = await createOrganization(one);
  const team = await organization.team({ name: 'Hawks' });
  const titleOn = async (server: RunningServer) => (await organization.over(server).schedule(team._id))['eventTitle'];
  for (const server of [one, mortal.server, one, mortal.server]) expect(await titleOn(server)).toBe('Hawks vs Foxes');
  for (const name of ['Owls', 'Wolves']) {
    await organization.call('patch', `/teams/${team._id}`).send({ name }).expect(200);
    expect(await titleOn(one)).toBe(`${name} vs Foxes`);
    await eventually(
      `the other replica uses ${name}`,
      async () => (await titleOn(mortal.server)) === `${name} vs Foxes`,
    );
    expect(await titleOn(mortal.server)).toBe(`${name} vs Foxes`);
  }
});

const rounds = 12;
const startDate = '2027-05-01T10:00:00Z';

/** Every request that adds a record to a team; `game` is a schedule of another team. */
type Addition = (organization: TestOrganization, team: string, game: Stored) => PromiseLike<Response>;
const additions: Record<string, Addition> = {
  'a player': (organization, team) =>
    organization.call('post', `/teams/${team}/players`).set('idem-key', randomUUID()).send({ name: 'Jordan Lee' }),
  'players in bulk': (organization, team) =>
    organization
      .call('post', `/teams/${team}/players/bulk`)
      .send({ rows: [{ externalId: 'one', name: 'Jordan Lee' }] }),
  'a player of another team': async (organization, teamId, { teamId: from }) => {
    const { _id } = await organization.player(String(from));
    return organization.call('patch', `/teams/${String(from)}/players/${_id}`).send({ teamId });
  },
  'a schedule': (organization, teamId) =>
    organization.call('post', '/schedules').send({ teamId, startDate, teamTwoName: 'Foxes' }),
  'the opponent of a schedule': (organization, teamTwoId, { _id, teamId }) =>
    organization.call('patch', `/schedules/${_id}`).send({ teamId, teamTwoId }),
};

describe('a team that is deleted on one replica while another one adds to it', () => {
  let organization: TestOrganization;
  let database: Db;
  let season: string;

  beforeAll(async () => {
    organization = await createOrganization(one);
    database = await one.database();
    season = (await organization.season())._id;
  });

  const newTeam = (): Promise<Stored> => organization.team({ season, externalId: randomUUID() });
  const remove = ({ _id, externalId }: Stored, round: number): PromiseLike<Response> =>
    round % 2 === 0
      ? organization.call('delete', `/teams/${_id}`)
      : organization.call('post', '/teams/bulk').send({ rows: [{ externalId, delete: true }] });
  const isDone = ({ status, body }: Response) =>
    status < 300 && !('summary' in body && (body as { summary: { failed: number } }).summary.failed > 0);

  it.each(Object.entries(additions))('is either deleted or gets %s', async (_what, add) => {
    const owner = await newTeam();
    const outcomes = await mapBounded(
      Array.from({ length: rounds }, (_none, round) => round),
      10,
      async (round) => {
        const [team, game] = [await newTeam(), await organization.schedule(owner._id)];
        // So that both replicas have the team in their caches.
        for (const server of [one, mortal.server]) {
          await organization.over(server).call('get', `/teams/${team._id}/players`).expect(200);
        }
        // Before and after the deletion has looked for records, and, also on a slow machine, when it has marked the team.
        const lead = round % 6 === 0 ? 700 : Math.random() * 40 - 10;
        const removing = sleep(Math.max(0, -lead)).then(() => remove(team, round));
        const adding = sleep(Math.max(0, lead)).then(() =>
          add(organization.over(round % 3 ? mortal.server : one), team._id, game),
        );
        const [removed, added] = await Promise.all([removing, adding]);
        return `${isDone(removed) ? 'deleted' : 'kept'}, ${isDone(added) ? 'added' : 'rejected'}`;
      },
    );
    const grouped = Map.groupBy(outcomes, String);
    const counts = Object.fromEntries([...grouped].map(([name, { length }]) => [name, length]));
    process.stdout.write(`  ${JSON.stringify(counts)}\n`);
    expect(Object.keys(counts).sort()).toEqual(['deleted, rejected', 'kept, added']);
    expect(await recordsOfDeletedTeams()).toBe(0);
  });

  it('can be used again ten seconds after an interrupted deletion', async () => {
    const team = await newTeam();
    const create = () =>
      organization.call('post', '/schedules').send({ teamId: team._id, startDate, teamTwoName: 'Foxes' });
    const start = (deletionStartedAt: Date) =>
      database.collection('teams').updateOne({ _id: new ObjectId(team._id) }, { $set: { deletionStartedAt } });
    await start(new Date());
    await eventually('nothing can be added', async () => (await create()).status === 403);
    expectError(await create(), 40301);
    await start(new Date(Date.now() - 11_000));
    await create().expect(201);
  });

  /** Counts records of deleted teams. */
  async function recordsOfDeletedTeams(): Promise<number> {
    const teams = await database.collection('teams').distinct('_id', { deletedAt: { $type: 'date' } });
    const ofTeams = { $in: teams };
    const players = await database.collection('players').countDocuments({ teamId: ofTeams, deletedAt: null });
    const sides = [{ teamOneId: ofTeams }, { teamTwoId: ofTeams }];
    return players + (await database.collection('schedules').countDocuments({ $or: sides, deletedAt: null }));
  }
});

describe('a replica that is killed', () => {
  /** Counts what a reset deletes first and creates last. */
  async function progressOf(organizationId: string) {
    const database = await one.database();
    const count = (name: string) =>
      database.collection(name).countDocuments({ organizationId: new ObjectId(organizationId) });
    return {
      links: await count('calendarLinks'),
      players: await count('players'),
      schedules: await count('schedules'),
    };
  }

  type Progress = Awaited<ReturnType<typeof progressOf>>;

  it.each([
    ['deletes', ({ links, players }: Progress) => links < 2_000 && players === 0],
    ['creates the schedules', ({ links, schedules }: Progress) => links === 0 && schedules > 2],
  ])('a reset of a server that is killed while it %s is completed by a repetition', async (_what, isReached) => {
    const sandbox = await createOrganization(one, 'Sandbox', { isSandbox: true });
    const organizationId = new ObjectId(sandbox.id);
    const links = Array.from({ length: 2_000 }, (_none, slot) => ({
      organizationId,
      slot,
      teamId: organizationId,
      tokenHash: `${sandbox.id} ${slot}`,
    }));
    await (await one.database()).collection('calendarLinks').insertMany(links);
    const first = sandbox.over(mortal.server);
    await first.call('get', '/me').expect(200);
    const answered = new AbortController();
    const answer = first.call('post', '/sandbox/reset').then(
      () => answered.abort(),
      () => undefined,
    );
    while (!isReached(await progressOf(sandbox.id)) && !answered.signal.aborted) await sleep(5);
    await mortal.crash();
    await answer;
    // The first reset keeps others out until it can no longer write, and a slow machine may need several requests.
    const repeated = sandbox.over(mortal.server);
    const isReset = async () => (await repeated.call('post', '/sandbox/reset')).status === 200;
    await eventually('the sandbox is reset', isReset, 60);
    await expectDemoLeague(sandbox);
  });

  it('a rename of a team with 2,000 games succeeds, and another server completes it after a crash', async () => {
    const many = 2_000;
    const database = await one.database();
    const schedules = database.collection('schedules');
    const organization = await createOrganization(one);
    const [hawks, foxes] = [await organization.team({ name: 'Hawks' }), await organization.team({ name: 'Foxes' })];
    const organizationId = new ObjectId(organization.id);
    const linked = { startDate: secondsFromNow(3_600), teamTwoId: foxes._id, teamTwoName: undefined };
    const first = await organization.schedule(hawks._id, linked);
    const stored = await schedules.findOne({ _id: new ObjectId(first._id) });
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const games = Array.from({ length: many - 1 }, (_none, index) => {
      const times = { startDate: at(120 + index), endDate: at(150 + index) };
      return { ...stored, ...times, _id: new ObjectId() };
    });
    await schedules.insertMany(games);

    const since = new Date();
    const renaming = organization.over(mortal.server).call('patch', `/teams/${foxes._id}`).send({ name: 'Wolves' });
    expect((await renaming).status).toBe(200);
    const renamed = { organizationId, teamTwoName: 'Wolves' };
    expect(await schedules.countDocuments(renamed)).toBeGreaterThan(0);
    await mortal.server.end('SIGKILL');
    expect(await schedules.countDocuments(renamed)).toBeLessThan(many);
    const last = String(games.at(-1)?._id);
    expect((await patchSchedule(organization, last, { teamId: hawks._id, locationName: 'Park' })).status).toBe(200);

    const expected = { ...renamed, revision: 2, 'changedBy.type': 'key' };
    await eventuallyPasses(async () => expect(await schedules.countDocuments(expected)).toBe(many - 1), 120);
    const changed = { teamTwoName: 'Wolves', revision: 3, locationName: 'Park' };
    expect(await schedules.findOne({ _id: new ObjectId(last) })).toMatchObject(changed);
    const rows = { organizationId, kind: 'schedule', changedAt: { $gte: since } };
    await eventuallyPasses(
      async () => expect(await database.collection('changes').countDocuments(rows)).toBe(many),
      60,
    );
  }, 240_000);
});
