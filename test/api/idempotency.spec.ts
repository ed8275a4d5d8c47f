import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type request from 'supertest';
import type { Response } from 'supertest';
import { expectError } from '../support/expectations.js';
import { createKey, createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { readIds } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

type Body = Record<string, unknown>;

/** An organization with a season and a team. */
interface TeamFixture {
  organization: TestOrganization;
  season: string;
  team: string;
}

/** A route that creates records: its path, and a valid body. */
interface CreateRoute {
  path: (place: TeamFixture) => string;
  body: (place: TeamFixture) => Body;
}

const playerRoute: CreateRoute = {
  path: ({ team }) => `/teams/${team}/players`,
  body: () => ({ name: 'Jordan Lee', jerseyNumber: '07', position: ['QB', 'WR'] }),
};

const teamRoute: CreateRoute = {
  path: () => '/teams',
  body: ({ season }) => ({ name: 'Bears', season, gender: 'open' }),
};

const scheduleRoute: CreateRoute = {
  path: () => '/schedules',
  body: ({ team }) => ({ teamId: team, teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z' }),
};

const seasonRoute: CreateRoute = {
  path: () => '/seasons',
  body: () => ({ name: 'Spring 2027', startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' }),
};

/** Every route that accepts an idem-key, by name. */
const createRoutes: [name: string, route: CreateRoute][] = [
  ['POST /teams/{teamId}/players', playerRoute],
  ['POST /teams', teamRoute],
  ['POST /schedules', scheduleRoute],
  ['POST /seasons', seasonRoute],
];

/** Creates an organization with a season and a team. */
async function createTeamFixture(): Promise<TeamFixture> {
  const organization = await createOrganization(server);
  const season = (await organization.season())._id;
  return { organization, season, team: (await organization.team({ season }))._id };
}

/** Sends the route's valid body with a key and some changed fields. */
function sendCreate(route: CreateRoute, place: TeamFixture, key: string, changes: Body = {}): request.Test {
  const call = place.organization.call('post', route.path(place)).set('idem-key', key);
  return call.send({ ...route.body(place), ...changes });
}

/** The IDs that the route's list shows, in order; at most 100. */
function listIds(route: CreateRoute, place: TeamFixture): Promise<string[]> {
  return readIds(() => place.organization.call('get', `${route.path(place)}?limit=100`));
}

/** Checks that a request created a record; returns it. */
function expectCreated(response: Response): Stored {
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 201 });
  expect(response.headers).not.toHaveProperty('idempotent-replayed');
  return response.body as Stored;
}

/** Checks that the first response was replayed, byte for byte and marked as such. */
function expectReplayed(response: Response, first: Response): void {
  expect({ status: response.status, text: response.text }).toEqual({ status: 201, text: first.text });
  expect(response.headers['idempotent-replayed']).toBe('true');
}

/** For tests that do not count records. */
let place: TeamFixture;

beforeAll(async () => {
  place = await createTeamFixture();
});

describe('the idem-key header', () => {
  it('is required on player create, whatever body and team are sent', async () => {
    const post = (path: string) => place.organization.call('post', path);
    expectError(await post(playerRoute.path(place)).send(playerRoute.body(place)), 40003);
    expectError(await post('/teams/hawks/players').send({ name: '' }), 40003);
  });
});

describe.each(createRoutes)('a key that was used on %s', (_name, route) => {
  it('returns the first response again for the same body, byte for byte, and creates nothing', async () => {
    const own = await createTeamFixture();
    const first = await sendCreate(route, own, 'import-1');
    const { _id } = expectCreated(first);
    const ids = await listIds(route, own);
    expect(ids).toContain(_id);
    for (let index = 0; index < 3; index++) expectReplayed(await sendCreate(route, own, 'import-1'), first);
    expect(await listIds(route, own)).toEqual(ids);
  });

  it('creates one record for ten equal requests at once; the others get its response or 40902', async () => {
    const own = await createTeamFixture();
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
});

// One interceptor serves all routes.
describe('a key', () => {
  it('returns 42201 for another body, valid or not, and still replays the first one', async () => {
    const key = randomUUID();
    const first = await sendCreate(playerRoute, place, key);
    expectCreated(first);
    for (const name of ['Sam Fox', 12]) expectError(await sendCreate(playerRoute, place, key, { name }), 42201);
    expectReplayed(await sendCreate(playerRoute, place, key), first);
  });

  it('is not used up by rejected requests', async () => {
    const key = randomUUID();
    expectError(await sendCreate(playerRoute, place, key, { coach: 'Kim' }), 40001);
    expectError(await sendCreate(playerRoute, place, key, { coach: 'Lee' }), 40001);
    expectCreated(await sendCreate(playerRoute, place, key));
  });

  it('is shared by all API keys of the organization', async () => {
    const key = randomUUID();
    const first = await sendCreate(playerRoute, place, key);
    expectCreated(first);
    const { apiKey } = await createKey(server, place.organization.id);
    const call = place.organization.call('post', playerRoute.path(place), apiKey).set('idem-key', key);
    expectReplayed(await call.send(playerRoute.body(place)), first);
  });
});

describe('the first response', () => {
  it('is replayed after the record was changed and deleted, which a repetition does not restore', async () => {
    const first = await sendCreate(scheduleRoute, place, 'changed-and-deleted');
    const path = `/schedules/${expectCreated(first)._id}`;
    const change = { teamId: place.team, teamTwoName: 'Bears' };
    await place.organization.call('patch', path).send(change).expect(200);
    expectReplayed(await sendCreate(scheduleRoute, place, 'changed-and-deleted'), first);
    await place.organization.call('delete', `${path}?teamId=${place.team}`).expect(200);
    expectReplayed(await sendCreate(scheduleRoute, place, 'changed-and-deleted'), first);
    expectError(await place.organization.call('get', path), 40402);
  });

  it('is replayed as stored, even if this server would serialize it differently', async () => {
    const key = randomUUID();
    const { _id } = expectCreated(await sendCreate(scheduleRoute, place, key));
    // As an older version could have written it: another field order and one more field.
    const answer = `{ "older": 1.0, "_id": ${JSON.stringify(_id)}, "10": 1, "2": "\\u00fc", "revision": 1 }`;
    const schedules = (await server.database()).collection('schedules');
    await schedules.updateOne({ _id: new ObjectId(_id) }, { $set: { 'idempotency.answer': answer } });
    const replayed = await sendCreate(scheduleRoute, place, key);
    expect([replayed.status, replayed.text]).toEqual([201, answer]);
    expect(replayed.headers).toMatchObject({ etag: '"1"', 'content-type': 'application/json; charset=utf-8' });
  });
});
