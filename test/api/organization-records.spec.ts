import type request from 'supertest';
import { createFullOrganization, knownExternalId } from '../support/full-organization.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';
import { ObjectId } from 'mongodb';
import { countEventsOfRequest, eventsOfRequest, withRequestId } from '../support/audit.js';
import { expectError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';

const server = RunningServer.forTests();

interface Found {
  teams: { _id: string; name: string }[];
  players: { _id: string; name: string; teamName: string; revision: number; changedBy: object }[];
  schedules: { _id: string; eventTitle: string }[];
}

const search = (organizationId: string, text: string): request.Test =>
  server.asSuperAdmin('get', `/organizations/${organizationId}/records`).query({ search: text });

async function find(organizationId: string, text: string): Promise<Found> {
  return ((await search(organizationId, text).expect(200)).body as { data: Found }).data;
}

describe('GET /organizations/{organizationId}/records', () => {
  it('finds the beginning of names, without case and accents, and no deleted record', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team({ name: 'Águilas (A)' });
    const names = ['José Ortega', 'jose luna', 'Josefina Paz'];
    const players = await Promise.all(names.map((name) => organization.player(team._id, { name })));
    await organization.call('delete', `/teams/${team._id}/players/${players[2]?._id}`).expect(200);
    await organization.schedule(team._id, { teamTwoName: 'Foxes' });
    expect((await find(organization.id, 'JOSE')).players.map(({ name }) => name)).toEqual(['jose luna', 'José Ortega']);
    const { teams, schedules } = await find(organization.id, 'aguilas');
    expect([teams.length, schedules.length]).toEqual([1, 1]);
    expect(await find(organization.id, 'guilas')).toEqual({ teams: [], players: [], schedules: [] });
  });

  it('finds players by the beginning of each word of their names, and by email, with their teams', async () => {
    const organization = await createOrganization(server);
    const [one, other] = [await organization.team({ name: 'Hawks' }), await organization.team({ name: 'Foxes' })];
    await organization.player(one._id, { name: 'Mia Müller-Schmidt', email: 'Mia.M@Example.com' });
    await organization.player(other._id, { name: "Ann $name O'Schmitz" });
    const namesOf = async (text: string) => (await find(organization.id, text)).players.map(({ name }) => name);
    for (const text of ['schm', 'mia sch', 'Sch Mia', 'muller-s', 'mia.m@', 'MIA.M@EXAMPLE.COM', 'mia mia.m'])
      expect([text, await namesOf(text)]).toEqual([text, ['Mia Müller-Schmidt']]);
    for (const text of ["o'schm", 'O\u2019Schm', 'ann o`s'])
      expect([text, await namesOf(text)]).toEqual([text, ["Ann $name O'Schmitz"]]);
    for (const text of ['ia', 'example.com', 'Mia X', '$email'])
      expect([text, await namesOf(text)]).toEqual([text, []]);
    expect(await namesOf('$name')).toEqual(["Ann $name O'Schmitz"]);
    const both = (await find(organization.id, 'm')).players.concat((await find(organization.id, 'ann')).players);
    expect(both.map(({ teamName }) => teamName)).toEqual(['Hawks', 'Foxes']);
  });

  it('finds IDs and external IDs of this organization only, and records who looked at a player', async () => {
    const [own, other] = [await createFullOrganization(server, 'Own'), await createFullOrganization(server, 'Other')];
    const found = await find(own.organization.id, knownExternalId);
    expect(found.teams.map(({ _id }) => _id)).toEqual([own.team._id]);
    expect(found.schedules.map(({ _id }) => _id)).toEqual([own.schedule._id]);
    expect(found.players).toMatchObject([{ _id: own.player._id, revision: 1, changedBy: { type: 'key' } }]);
    expect((await find(own.organization.id, own.player._id.toUpperCase())).players).toEqual(found.players);
    expect(await find(own.organization.id, other.player._id)).toEqual({ teams: [], players: [], schedules: [] });
    const looks = (await changesOf(server, own.player._id)).map(({ action, actor, changes }) => ({
      action,
      actor,
      changes,
    }));
    const look = { action: 'readPlayer', actor: expect.objectContaining({ role: 'superAdmin' }) as object };
    expect(looks).toEqual([look, look]);
    expect(await changesOf(server, other.player._id)).toEqual([]);
  });

  it('returns at most ten by name', async () => {
    const organization = await createOrganization(server);
    for (let number = 0; number < 11; number++) await organization.team({ name: `Hawks ${number}` });
    expect((await find(organization.id, 'hawks')).teams).toHaveLength(10);
  });
});

describe('GET /organizations/{organizationId}/record-counts', () => {
  it('counts the records that are not deleted', async () => {
    const organization = await createOrganization(server);
    const team = await organization.team();
    await organization.player(team._id);
    const player = await organization.player(team._id);
    await organization.call('delete', `/teams/${team._id}/players/${player._id}`).expect(200);
    const path = `/organizations/${organization.id}/record-counts`;
    expect((await server.asSuperAdmin('get', path).expect(200)).body).toEqual({
      data: { teams: 1, players: 1, schedules: 0 },
    });
  });
});

interface Bulk {
  data: { result: string; _id?: string; error?: { error: number } }[];
}

const organization = TestOrganization.forTests(server);
let season: Stored;
let owls: Stored;

beforeAll(async () => {
  season = await organization.season();
  owls = await organization.team({ name: 'Owls', season: season._id, externalId: 'owls' });
});

const at = (path: string, id = organization.id) => `/organizations/${id}${path}`;
const read = (path: string, id?: string) => server.asSuperAdmin('get', at(path, id));
const post = (kind: string, rows: object[], others = {}, id?: string) =>
  server.asSuperAdmin('post', at(`/${kind}/bulk`, id)).send({ rows, ...others });
const resultsOf = ({ body }: { body: unknown }) =>
  (body as Bulk).data.map(({ result, error }) => error?.error ?? result);

const game = { externalId: 'game-1', teamExternalId: 'owls', teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z' };
const rowsOf = () =>
  ({
    teams: { name: 'Hawks', season: season._id, externalId: 'hawks' },
    players: { externalId: 'p-1', teamExternalId: 'owls', name: 'Jordan Lee' },
    schedules: game,
  }) as const;
const kinds = ['teams', 'players', 'schedules'] as const;

describe.each(kinds)('POST /organizations/{organizationId}/%s/bulk', (kind) => {
  it('does what the same request of a key does, as the super admin, with one event without personal data', async () => {
    const row = rowsOf()[kind];
    const { call, id } = withRequestId(post(kind, [row, { externalId: 'other', name: 7 }]));
    expect(resultsOf(await call.expect(200))).toEqual(['created', 40001]);
    const { data } = (await organization.call('get', `/${kind}`).expect(200)).body as { data: Stored[] };
    const record = data.find(({ externalId }) => externalId === row.externalId);
    expect(record).toMatchObject({ revision: 1, changedBy: { type: 'admin' } });
    expect(resultsOf(await organization.call('post', `/${kind}/bulk`).send({ rows: [row] }))).toEqual(['unchanged']);
    expect(await eventsOfRequest(server, id)).toMatchObject([
      {
        action: 'importRecords',
        actor: { kind: 'user', role: 'superAdmin' },
        organizationId: organization.id,
        target: { kind: 'organization', _id: organization.id },
      },
    ]);
    expect((await eventsOfRequest(server, id))[0]?.changes).toEqual({ records: kind, rows: 2 });
  });

  it('writes nothing and records nothing in a dry run or with a wrong body', async () => {
    const rows = [{ ...rowsOf()[kind], externalId: 'not-written' }];
    const dryRun = withRequestId(post(kind, rows, { dryRun: true }));
    expect(resultsOf(await dryRun.call.expect(200))).toEqual(['created']);
    const tooMany = withRequestId(post(kind, Array<object>(101).fill({})));
    expectError(await tooMany.call, 40001);
    expect(await Promise.all([dryRun.id, tooMany.id].map((id) => countEventsOfRequest(server, id)))).toEqual([0, 0]);
    expect(resultsOf(await post(kind, rows).expect(200))).toEqual(['created']);
  });

  it('is rejected for an organization that is being erased', async () => {
    const { id } = await createOrganization(server);
    const stored = (await server.database()).collection('organizations');
    await stored.updateOne({ _id: new ObjectId(id) }, { $set: { erasingSince: new Date() } });
    expectError(await post(kind, [rowsOf()[kind]], {}, id), 40406);
  });
});

it('an import cannot name a team, season or game of another organization', async () => {
  const other = await createOrganization(server);
  const foreignSeason = await other.season();
  const foreign = await other.team({ season: foreignSeason._id, externalId: 'foreign' });
  const { players, schedules, teams } = rowsOf();
  const named = { teamId: foreign._id, teamExternalId: undefined };
  expect(resultsOf(await post('players', [{ ...players, ...named }]))).toEqual([40301]);
  expect(resultsOf(await post('schedules', [{ ...schedules, ...named }]))).toEqual([40301]);
  expect(resultsOf(await post('teams', [{ ...teams, season: foreignSeason._id }]))).toEqual([40302]);
  const schedule = await other.schedule(foreign._id, { externalId: 'foreign-game' });
  expectError(await read(`/teams/${foreign._id}/players`), 40301);
  expectError(await read(`/schedules/${schedule._id}`), 40302);
  expectError(await read('/schedules/by-external-id/foreign-game'), 40402);
  expectError(await read(`/schedules/${schedule._id}/player-statistics`), 40302);
});

describe('what an import reads', () => {
  it('is what a key reads: teams, games by ID and external ID, and statistics with their revision', async () => {
    const { _id } = await organization.schedule(owls._id, { externalId: 'game-2' });
    const paths = ['/teams?limit=100', `/schedules/${_id}`, '/schedules/by-external-id/game-2'];
    for (const path of [...paths, `/schedules/${_id}/player-statistics`]) {
      const [toAdmin, toKey] = [await read(path).expect(200), await organization.call('get', path).expect(200)];
      expect([path, toAdmin.body]).toEqual([path, toKey.body]);
    }
    const { headers } = await read(`/schedules/${_id}/player-statistics`);
    expect(headers['etag']).toBe('"1"');
    const write = (ifMatch: string) =>
      server.asSuperAdmin('put', `/schedules/${_id}/player-statistics`).set('If-Match', ifMatch).send({ rows: [] });
    await write('"1"').expect(200);
    expectError(await write('"1"'), 41201);
  });

  it('records each player of a team who is listed', async () => {
    const team = await organization.team({ season: season._id });
    const player = await organization.player(team._id);
    const { call, id } = withRequestId(read(`/teams/${team._id}/players`));
    expect((await call.expect(200)).body).toMatchObject({ data: [{ _id: player._id }] });
    const events = await eventsOfRequest(server, id);
    expect(events).toMatchObject([{ action: 'readPlayer', target: { _id: player._id } }]);
  });
});

describe('the seasons of an organization', () => {
  interface Page {
    data: Stored[];
    total: number;
    nextCursor?: string;
  }

  const organization = TestOrganization.forTests(server);
  let season: Stored;
  let shared: Stored;
  let final: Stored;
  let upcoming: Stored;

  beforeAll(async () => {
    season = await organization.season();
    shared = await organization.season({ name: 'Shared', organizationId: undefined });
    const team = (name: string) => organization.team({ name, season: season._id });
    const [hawks, foxes] = [await team('Hawks'), await team('Foxes')];
    const opponent = { teamTwoId: foxes._id, teamTwoName: undefined };
    upcoming = await organization.schedule(hawks._id, { ...opponent, startDate: '2027-05-08T10:00:00Z' });
    const result = { status: 'final', teamOneScore: 21, teamTwoScore: 14 };
    final = await organization.schedule(hawks._id, { ...opponent, ...result });
    // Does not belong to the season.
    await organization.schedule((await organization.team({ season: shared._id }))._id);
  });

  const read = (path: string, of = organization.id) =>
    server.asSuperAdmin('get', `/organizations/${of}/seasons${path}`);
  const pageOf = async (path: string) => (await read(path).expect(200)).body as Page;

  describe('GET /organizations/{organizationId}/seasons', () => {
    it('lists the same seasons, and standings of one, as the organization’s keys', async () => {
      for (const path of ['?limit=100', `/${season._id}/standings?tiebreakers=forfeits`])
        expect(await pageOf(path)).toEqual((await organization.call('get', `/seasons${path}`).expect(200)).body);
      expect((await pageOf('?limit=100')).data).toEqual(expect.arrayContaining([season, shared]));
    });
  });

  describe('GET /organizations/{organizationId}/seasons/{seasonId}', () => {
    it('returns an own and a shared season', async () => {
      expect((await read(`/${season._id.toUpperCase()}`).expect(200)).body).toEqual({ data: season });
      expect((await read(`/${shared._id}`).expect(200)).body).toEqual({ data: shared });
    });

    it.each(['', '/standings', '/schedules'])('and %p return 40404 and 40406', async (path) => {
      const foreign = await (await createOrganization(server)).season();
      expectError(await read(`/${foreign._id}${path}`), 40404);
      expectError(await read(`/${season._id}${path}`, unknownId), 40406);
    });
  });

  describe('GET /organizations/{organizationId}/seasons/{seasonId}/standings/{teamId}', () => {
    it('returns the teams that were equal, with their values and the rules of the query', async () => {
      const { data } = await pageOf(`/${season._id}/standings`);
      const [hawks, foxes] = data.map(({ teamId, teamName }) => ({ teamId, teamName }));
      const path = `/${season._id}/standings/${String(hawks?.teamId)}?tiebreakers=forfeits,pointsFor`;
      expect((await read(path).expect(200)).body).toEqual({
        data: {
          ...{ rank: 1, teamId: hawks?.teamId, decidedBy: 'pointsFor' },
          teams: [
            { rank: 1, ...hawks, values: { forfeits: 0, pointsFor: 21 } },
            { rank: 2, ...foxes, values: { forfeits: 0, pointsFor: 14 } },
          ],
        },
      });
    });

    it('returns 40401 for a team that is not ranked', async () => {
      expectError(await read(`/${season._id}/standings/${unknownId}`), 40401);
    });
  });

  describe('GET /organizations/{organizationId}/seasons/{seasonId}/schedules', () => {
    const list = (query = '') => pageOf(`/${season._id}/schedules${query}`);

    it('lists the schedules of the season’s teams, earliest start first', async () => {
      expect(await list()).toEqual({ data: [final, upcoming], total: 2 });
    });

    it('filters and pages as the public list', async () => {
      expect(await list('?status=final,forfeited')).toEqual({ data: [final], total: 1 });
      expect(await list('?page=2&limit=1')).toEqual({ data: [upcoming], total: 2 });
      const { nextCursor = '' } = await list('?limit=1');
      expect((await list(`?limit=1&cursor=${nextCursor}`)).data).toEqual([upcoming]);
      expectError(await read(`/${shared._id}/schedules?limit=1&cursor=${nextCursor}`), 40001);
      expectError(await read(`/${season._id}/schedules?teamId=${unknownId}`), 40301);
    });
  });
});
