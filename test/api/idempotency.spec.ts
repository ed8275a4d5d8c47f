import { randomUUID } from 'node:crypto';
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
  scheduleRoute,
  teamRoute,
} from '../support/idempotent-creates.js';
import { createKey, api } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { ObjectId } from 'mongodb';

const server = RunningServer.forTests();

/** For tests that do not count records. */
let place: TeamFixture;

beforeAll(async () => {
  place = await createTeamFixture(server);
});

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

  it('belongs to the decoded path: percent-encoding does not create a second player', async () => {
    const key = randomUUID();
    const first = await sendCreate(playerRoute, place, key);
    expectCreated(first);
    const path = `/teams/%${place.team.charCodeAt(0).toString(16)}${place.team.slice(1)}/players`;
    const call = place.organization.call('post', path).set('idem-key', key);
    expectReplayed(await call.send(playerRoute.body(place)), first);
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

  it('creates one record for ten equal requests at once; the others get its response or 40902', async () => {
    const own = await createTeamFixture(server);
    const before = await listIds(route, own);
    const responses = await Promise.all(Array.from({ length: 10 }, () => sendCreate(route, own, 'import-1')));
    const first = responses.find(({ status, headers }) => status === 201 && !('idempotent-replayed' in headers));
    if (first === undefined) throw new Error('Nobody created the record');
    const { _id } = expectCreated(first);
    for (const other of responses.filter((each) => each !== first)) {
      // The record is perhaps not on the majority of the database's members yet.
      if (other.status === 409) expectError(other, 40902);
      else expectReplayed(other, first);
    }
    expect((await listIds(route, own)).sort()).toEqual([...before, _id].sort());
  });

  it.each<[string, Record<string, unknown>]>([
    ['a valid one', route.changes],
    ['one with an invalid field', { name: 12, startDate: 12 }],
  ])('returns 42201 for another body, and still replays the first one: %s', async (_what, changes) => {
    const key = randomUUID();
    const first = await sendCreate(route, place, key);
    expectCreated(first);
    expectError(await sendCreate(route, place, key, changes), 42201);
    expectReplayed(await sendCreate(route, place, key), first);
  });

  it('is not used up by rejected requests', async () => {
    const key = randomUUID();
    expectError(await sendCreate(route, place, key, { coach: 'Kim' }), 40001);
    expectError(await sendCreate(route, place, key, { coach: 'Lee' }), 40001);
    expectCreated(await sendCreate(route, place, key));
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

/** Contains characters that JSON or HTTP can encode in more than one way. */
const ambiguous = 'Ünï 🏈 "quoted" \\ </script> \u2028 \u00e9 e\u0301 \ufeff\u00df';

/** A body whose response could be serialized in more than one way. */
const fields = {
  teamTwoName: ambiguous,
  practiceNote: 'one\ttwo\nthree',
  location: {
    b: 1,
    10: 'ten',
    2: 'two',
    a: { 1: [1.5, -0.25, Number.MAX_SAFE_INTEGER, 1e-7, 0, null, true], 0: {}, 2: [], ü: ambiguous },
    '-1': { '01': 1, 1: 2 },
  },
};

/** The parts of a response that do not depend on the single request. */
interface RawResponse {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  replayed: string | null;
}

/** Sends a request and returns the unparsed response. */
async function post(key: string): Promise<RawResponse> {
  const response = await fetch(`${server.url}${api}/schedules`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${place.organization.key.apiKey}`,
      'Content-Type': 'application/json',
      'idem-key': key,
    },
    body: JSON.stringify({ ...scheduleRoute.body(place), ...fields }),
  });
  const own = ['date', 'x-request-id', 'idempotent-replayed', 'ratelimit-remaining', 'ratelimit-reset'];
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers, bytes, replayed: response.headers.get('idempotent-replayed') };
}

describe('the first response', () => {
  it('is replayed after the record was changed and deleted', async () => {
    const key = randomUUID();
    const first = await sendCreate(playerRoute, place, key);
    const path = `/teams/${place.team}/players/${expectCreated(first)._id}`;
    await place.organization.call('patch', path).send({ name: 'Changed' }).expect(200);
    expectReplayed(await sendCreate(playerRoute, place, key), first);
    await place.organization.call('delete', path).expect(200);
    expectReplayed(await sendCreate(playerRoute, place, key), first);
  });

  it('is replayed as stored, even if this server would serialize it differently', async () => {
    const key = randomUUID();
    const first = await post(key);
    const { _id } = JSON.parse(first.bytes.toString()) as { _id: string };
    // As an older version could have written it: another field order and one more field.
    const response = `{ "older": 1.0, "_id": ${JSON.stringify(_id)}, "10": 1, "2": "\\u00fc", "revision": 1 }`;
    const schedules = (await server.database()).collection('schedules');
    await schedules.updateOne({ _id: new ObjectId(_id) }, { $set: { 'idempotency.answer': response } });
    expect(await post(key)).toEqual({
      status: 201,
      headers: { ...first.headers, 'content-length': String(Buffer.byteLength(response)) },
      bytes: Buffer.from(response),
      replayed: 'true',
    });
  });
});
