import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import {
  createTeamFixture,
  type CreateRoute,
  type TeamFixture,
  playerRoute,
  scheduleRoute,
  teamRoute,
} from '../support/idempotent-creates.js';
import { api } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

/** Contains characters that JSON or HTTP can encode in more than one way. */
const ambiguous = 'Ünï 🏈 "quoted" \\ </script> \u2028 \u00e9 e\u0301 \ufeff\u00df';

/** Bodies whose responses could be serialized in more than one way. */
const bodies: [what: string, route: CreateRoute, fields: Record<string, unknown>][] = [
  [
    'a player',
    playerRoute,
    { name: ambiguous, position: ['QB', 'Ünï', '10', '2'], jerseyNumber: '00', email: 'é@ü.org' },
  ],
  ['a player with only a name', playerRoute, { position: undefined, jerseyNumber: undefined }],
  ['a team', teamRoute, { name: ambiguous, ageGroup: '10U 🏈', logoUrl: 'https://example.com/%C3%BC?a=1&b=2' }],
  [
    'a schedule with a nested location',
    scheduleRoute,
    {
      teamTwoName: ambiguous,
      practiceNote: 'one\ttwo\nthree',
      location: {
        b: 1,
        10: 'ten',
        2: 'two',
        a: { 1: [1.5, -0.25, Number.MAX_SAFE_INTEGER, 1e-7, 0, null, true], 0: {}, 2: [], ü: ambiguous },
        '-1': { '01': 1, 1: 2 },
      },
    },
  ],
  ['a schedule with a string as its location', scheduleRoute, { location: ambiguous }],
  [
    'a schedule with fractions',
    scheduleRoute,
    { overtimeType: 'limited', overtimeDuration: 1.1, startDate: '2027-05-01T12:00:00.123456+02:00', duration: 20 },
  ],
  ['a schedule with a tiny overtime', scheduleRoute, { overtimeDuration: 1.000000000000001 }],
];

/** The parts of a response that do not depend on the single request. */
interface RawResponse {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  replayed: string | null;
}

let server: RunningServer;
let place: TeamFixture;

beforeAll(async () => {
  server = await RunningServer.shared();
  place = await createTeamFixture(server);
});
afterAll(() => server.stop());

/** Sends a request and returns the unparsed response. */
async function post(route: CreateRoute, key: string, body: string): Promise<RawResponse> {
  const response = await fetch(`${server.url}${api}${route.path(place)}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${place.organization.key.apiKey}`,
      'Content-Type': 'application/json',
      'idem-key': key,
    },
    body,
  });
  const own = ['date', 'x-request-id', 'idempotent-replayed', 'ratelimit-remaining', 'ratelimit-reset'];
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers, bytes, replayed: response.headers.get('idempotent-replayed') };
}

describe.each(bodies)('the first response that created %s', (_, route, fields) => {
  const bodyText = () => JSON.stringify({ ...route.body(place), ...fields });

  it('is replayed with the same status, headers and bytes', async () => {
    const key = randomUUID();
    const first = await post(route, key, bodyText());
    expect({ status: first.status, text: first.bytes.toString() }).toMatchObject({ status: 201 });
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(first.headers['content-length']).toBe(String(first.bytes.length));
    expect(first.replayed).toBeNull();
    for (let again = 0; again < 3; again++) {
      expect(await post(route, key, bodyText())).toEqual({ ...first, replayed: 'true' });
    }
  });

  it('is replayed as stored, even if this server would serialize it differently', async () => {
    const key = randomUUID();
    const first = await post(route, key, bodyText());
    const { _id } = JSON.parse(first.bytes.toString()) as { _id: string };
    const records = (await server.database()).collection(route.collection);
    // As an older version could have written it: another field order and one more field.
    const response = `{ "older": 1.0, "_id": ${JSON.stringify(_id)}, "10": 1, "2": "\\u00fc", "revision": 1 }`;
    const stored = { $set: { 'idempotency.answer': response } };
    expect((await records.updateOne({ _id: new ObjectId(_id) }, stored)).modifiedCount).toBe(1);
    const again = await post(route, key, bodyText());
    const length = String(Buffer.byteLength(response));
    expect(again).toEqual({
      status: 201,
      headers: { ...first.headers, 'content-length': length },
      bytes: Buffer.from(response),
      replayed: 'true',
    });
  });
});
