import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { createTeamFixture, scheduleRoute, type TeamFixture } from '../support/idempotent-creates.js';
import { api } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

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

const server = RunningServer.forTests();
let place: TeamFixture;

beforeAll(async () => {
  place = await createTeamFixture(server);
});

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
