import { expectError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

interface Page {
  data: Stored[];
  total: number;
  nextCursor?: string;
}

const server = RunningServer.forTests();
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

const read = (path: string, of = organization.id) => server.asSuperAdmin('get', `/organizations/${of}/seasons${path}`);
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
