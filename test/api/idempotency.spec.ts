import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';
import {
  createTeamFixture,
  sendCreate,
  createRoutes,
  type CreateRoute,
  expectCreated,
  expectReplayed,
  listIds,
  type TeamFixture,
  playerRoute,
  scheduleRoute,
  teamRoute,
} from '../support/idempotent-creates.js';
import { createKey } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;
/** For tests that do not count records. */
let place: TeamFixture;

beforeAll(async () => {
  server = await RunningServer.shared();
  place = await createTeamFixture(server);
});

afterAll(async () => {
  await server.stop();
});

const day = 24 * 60 * 60 * 1000;

/** Makes a used key as old as if its request had been sent this long ago. */
async function age(route: CreateRoute, id: string, milliseconds: number): Promise<void> {
  const at = { 'idempotency.at': new Date(Date.now() - milliseconds) };
  const records = (await server.database()).collection(route.collection);
  const { matchedCount } = await records.updateOne({ _id: new ObjectId(id) }, { $set: at });
  expect(matchedCount).toBe(1);
}

describe('the idem-key header', () => {
  it('is required on player create, whatever body and team are sent', async () => {
    const post = (path: string) => place.organization.call('post', path);
    expectError(await post(playerRoute.path(place)).send(playerRoute.body(place)), 40003);
    expectError(await post('/teams/hawks/players').send({ name: '' }), 40003);
  });

  it.each([
    ['POST /teams', teamRoute],
    ['POST /schedules', scheduleRoute],
  ])('is optional on %s: without it every request creates a record', async (_name, route) => {
    const own = await createTeamFixture(server);
    const before = await listIds(route, own);
    const post = () => own.organization.call('post', route.path(own)).send(route.body(own));
    const created = [expectCreated(await post())._id, expectCreated(await post())._id];
    expect((await listIds(route, own)).sort()).toEqual([...before, ...created].sort());
  });

  describe.each(createRoutes)('of %s', (_name, route) => {
    it.each([
      ['an empty string', ''],
      ['only white space', '   '],
      ['256 characters', 'k'.repeat(256)],
      ['a string with a space', 'import 1'],
      ['a string with a tab', 'import\t1'],
      ['a string with a non-ASCII character', 'clé-1'],
    ])('cannot be %s', async (_what, key) => {
      expectError(await sendCreate(route, place, key), 40003);
    });

    it.each([
      ['1 character', '~'],
      ['255 characters', 'k'.repeat(255)],
      [
        'a string of every visible ASCII character',
        String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 33 + i)),
      ],
    ])('can be %s', async (_what, key) => {
      const own = await createTeamFixture(server);
      const first = await sendCreate(route, own, key);
      expectCreated(first);
      expectReplayed(await sendCreate(route, own, key), first);
    });
  });

  it('cannot be sent twice in one request', async () => {
    const call = place.organization.call('post', playerRoute.path(place));
    const twice = ['import-1', 'import-2'] as unknown as string; // superagent sends an array as repeated headers
    expectError(await call.set('idem-key', twice).send(playerRoute.body(place)), 40003);
  });
});

describe.each(createRoutes)('a key that was used on %s', (_name, route) => {
  it('returns the first response again for the same body, byte for byte, and creates nothing', async () => {
    const own = await createTeamFixture(server);
    const first = await sendCreate(route, own, 'import-1');
    const { _id } = expectCreated(first);
    const ids = await listIds(route, own);
    expect(ids).toContain(_id);
    for (let index = 0; index < 3; index++) expectReplayed(await sendCreate(route, own, 'import-1'), first);
    expect(await listIds(route, own)).toEqual(ids);
  });

  it('ignores key order and white space in the body', async () => {
    const key = randomUUID();
    const first = await sendCreate(route, place, key);
    expectCreated(first);
    const reversed = Object.fromEntries(Object.entries(route.body(place)).reverse());
    const call = place.organization.call('post', route.path(place)).set('idem-key', key);
    const again = await call.set('Content-Type', 'application/json').send(JSON.stringify(reversed, null, 4));
    expectReplayed(again, first);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a valid one', route.changes],
    ['one without a required field', { name: undefined, startDate: undefined }],
    ['one with an invalid field', { name: 12, startDate: 12 }],
    ['one with an unknown field', { coach: 'Kim' }],
    ['one with a raw prototype key', JSON.parse('{"constructor": 1}') as Record<string, unknown>],
  ])('returns 42201 for another body, and still replays the first one: %s', async (_what, changes) => {
    const key = randomUUID();
    const first = await sendCreate(route, place, key);
    expectCreated(first);
    expectError(await sendCreate(route, place, key, changes), 42201);
    expectReplayed(await sendCreate(route, place, key), first);
  });

  it('is replayed just before 24 hours, and creates a new record after them', async () => {
    const own = await createTeamFixture(server);
    const first = await sendCreate(route, own, 'nightly');
    const old = expectCreated(first)._id;
    await age(route, old, day - 60_000);
    expectReplayed(await sendCreate(route, own, 'nightly'), first);

    await age(route, old, day + 1_000);
    const second = await sendCreate(route, own, 'nightly');
    const recreated = expectCreated(second)._id;
    expect(recreated).not.toBe(old);
    expectReplayed(await sendCreate(route, own, 'nightly'), second);
    expect(await listIds(route, own)).toEqual(expect.arrayContaining([old, recreated]));
  });

  it('accepts another body after 24 hours', async () => {
    const key = randomUUID();
    await age(route, expectCreated(await sendCreate(route, place, key))._id, day + 1_000);
    expectCreated(await sendCreate(route, place, key, route.changes));
    expectError(await sendCreate(route, place, key), 42201);
  });

  it('is not used up by rejected requests', async () => {
    const key = randomUUID();
    expectError(await sendCreate(route, place, key, { coach: 'Kim' }), 40001);
    expectError(await sendCreate(route, place, key, { coach: 'Lee' }), 40001);
    expectCreated(await sendCreate(route, place, key));
  });

  it('is stored in the created record', async () => {
    const first = await sendCreate(route, place, randomUUID());
    const _id = new ObjectId(expectCreated(first)._id);
    const database = await server.database();
    const stored = await database.collection(route.collection).findOne({ _id });
    expect(stored).toMatchObject({ idempotency: { answer: first.text, at: expect.any(Date) as unknown } });
    const collections = (await database.listCollections().toArray()).map(({ name }) => name);
    expect(collections.filter((name) => /idem|key/i.test(name))).toEqual(['apiKeys']);
  });

  it('is independent in another organization', async () => {
    const [ours, theirs] = [await createTeamFixture(server), await createTeamFixture(server)];
    const [first, second] = [await sendCreate(route, ours, 'import-1'), await sendCreate(route, theirs, 'import-1')];
    expect(expectCreated(first)['organizationId']).toBe(ours.organization.id);
    expect(expectCreated(second)['organizationId']).toBe(theirs.organization.id);
    expectReplayed(await sendCreate(route, ours, 'import-1'), first);
  });

  it('is shared by all API keys of the organization', async () => {
    const key = randomUUID();
    const first = await sendCreate(route, place, key);
    expectCreated(first);
    const { apiKey } = await createKey(server, place.organization.id);
    const call = place.organization.call('post', route.path(place), apiKey).set('idem-key', key);
    expectReplayed(await call.send(route.body(place)), first);
  });
});
