import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Response } from 'supertest';
import { mapBounded } from '../support/concurrency.js';
import { expectError } from '../support/expectations.js';
import {
  createTeamFixture,
  sendCreate,
  createRoutes,
  expectCreated,
  expectReplayed,
  listIds,
  type TeamFixture,
  playerRoute,
} from '../support/idempotent-creates.js';
import { TestOrganization } from '../support/organization.js';
import { readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.start();
});

afterAll(async () => {
  await server.stop();
});

const isReplayed = (response: Response) => response.headers['idempotent-replayed'] === 'true';
const many = Array.from({ length: 50 }, (_, index) => index);

describe.each(createRoutes)('%s', (_name, route) => {
  it('creates one record for 50 equal concurrent requests and returns it to all', async () => {
    const own = await createTeamFixture(server);
    const before = await listIds(route, own);
    const responses = await Promise.all(many.map(() => sendCreate(route, own, 'import-1')));
    const first = responses.find((response) => !isReplayed(response));
    if (first === undefined) throw new Error('Nobody created the record');
    const { _id } = expectCreated(first);
    for (const response of responses.filter((each) => each !== first)) expectReplayed(response, first);
    expect((await listIds(route, own)).sort()).toEqual([...before, _id].sort());
  });

  it('creates one record for 50 concurrent requests with one key and 50 bodies: one gets 201, the others 42201', async () => {
    const own = await createTeamFixture(server);
    const before = await listIds(route, own);
    const field = Object.keys(route.changes)[0] ?? '';
    const responses = await Promise.all(
      many.map((index) => sendCreate(route, own, 'import-1', { [field]: `No. ${index}` })),
    );
    const created = responses.filter(({ status }) => status === 201).map(expectCreated);
    expect(created).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) expectError(response, 42201);
    expect((await listIds(route, own)).sort()).toEqual([...before, ...created.map(({ _id }) => _id)].sort());
  });

  it('creates one new record for 20 equal concurrent requests after the key has expired', async () => {
    const own = await createTeamFixture(server);
    const old = expectCreated(await sendCreate(route, own, 'import-1'))._id;
    const records = (await server.database()).collection(route.collection);
    const longAgo = { $set: { 'idempotency.at': new Date(Date.now() - 25 * 60 * 60 * 1000) } };
    await records.updateOne({ _id: new ObjectId(old) }, longAgo);
    const before = await listIds(route, own);
    const responses = await Promise.all(many.slice(0, 20).map(() => sendCreate(route, own, 'import-1')));
    const ids = new Set(responses.map(({ body }) => (body as { _id: string })._id));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    expect([ids.size, ids.has(old)]).toEqual([1, false]);
    expect((await listIds(route, own)).sort()).toEqual([...before, ...ids].sort());
  });
});

it('creates a record for each key if all come at once', async () => {
  const own = await createTeamFixture(server);
  const responses = await Promise.all(many.map(() => sendCreate(playerRoute, own, randomUUID())));
  expect((await listIds(playerRoute, own)).sort()).toEqual(
    responses.map((response) => expectCreated(response)._id).sort(),
  );
});

it('neither duplicates nor loses a player if the server is killed during creates and all are retried', async () => {
  const killed = await RunningServer.start();
  const place = await createTeamFixture(killed);
  const keys = Array.from({ length: 300 }, (_, index) => `import-${index}`);
  const body = (index: number) => ({ name: `Player ${index}` });

  const answered = new Map<string, Response>();
  let died: Promise<unknown> | undefined;
  await mapBounded(keys, 40, async (key, index) => {
    const response = await sendCreate(playerRoute, place, key, body(index)).then(
      (value) => value,
      () => undefined, // the connection broke: the result is unknown
    );
    if (response === undefined) return;
    answered.set(key, response);
    if (answered.size === 60) died ??= killed.end('SIGKILL');
  });
  expect(await died).toBe('SIGKILL');
  expect(answered.size).toBeLessThan(keys.length);

  const successor = await RunningServer.start({ MONGODB_URI: killed.databaseUri });
  try {
    const { id, creator, key } = place.organization;
    const again: TeamFixture = { ...place, organization: new TestOrganization(successor, id, creator, key) };
    const responses = await mapBounded(keys, 20, (each, index) => sendCreate(playerRoute, again, each, body(index)));
    expect(responses.filter(({ status }) => status !== 201)).toEqual([]);
    for (const [index, each] of keys.entries()) {
      const [first, second] = [answered.get(each), responses[index]];
      if (first !== undefined && second !== undefined) expectReplayed(second, first);
    }
    const ids = new Set(responses.map(({ body: player }) => (player as { _id: string })._id));
    const list = await readPage(() => again.organization.call('get', playerRoute.path(again)));
    expect({ created: ids.size, listed: list.total }).toEqual({ created: keys.length, listed: keys.length });
  } finally {
    await successor.stop();
    await killed.stop();
  }
}, 90_000);
