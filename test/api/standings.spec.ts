import { type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let season: string;
let hawks: Stored;
let foxes: Stored;
let owls: Stored;

beforeAll(async () => {
  season = (await organization.season())._id;
  const team = (name: string, fields = {}) => organization.team({ name, season, ...fields });
  hawks = await team('Hawks', { externalId: 'erp-1' });
  foxes = await team('Foxes');
  owls = await team('Owls', { ageGroup: '12U', gender: 'male' });
  await play(hawks, foxes, { status: 'final', teamOneScore: 21, teamTwoScore: 14 });
  await play(foxes, owls, { status: 'forfeited', forfeitedBy: 'teamTwo' });
});

const play = (one: Stored, two: Stored, fields: object) =>
  organization.schedule(one._id, { teamTwoId: two._id, teamTwoName: undefined, ...fields });
const get = (query = '', of = organization) => of.call('get', `/seasons/${season}/standings${query}`);

async function table(query = ''): Promise<string[]> {
  const { data, total } = (await get(query).expect(200)).body as { data: Record<string, unknown>[]; total: number };
  expect(total).toBe(data.length);
  return data.map((row) => ['rank', 'teamName', 'wins', 'losses'].map((name) => String(row[name])).join(' '));
}

describe('GET /seasons/{seasonId}/standings', () => {
  it('returns exactly the documented fields', async () => {
    const { data } = (await get().expect(200)).body as { data: object[] };
    expect(data[0]).toEqual({
      rank: 1,
      teamId: hawks._id,
      teamName: 'Hawks',
      externalId: 'erp-1',
      ...{ played: 1, wins: 1, losses: 0, ties: 0, forfeits: 0 },
      ...{ pointsFor: 21, pointsAgainst: 14, pointDifference: 7, winPercentage: 1 },
      ...{ points: 2, decidedBy: 'winPercentage' },
    });
    expect(await table()).toEqual(['1 Hawks 1 0', '2 Foxes 1 1', '3 Owls 0 1']);
  });

  it('counts only decided games between teams of the season', async () => {
    const win = { status: 'final', teamOneScore: 9, teamTwoScore: 0 };
    const other = await organization.team({ name: 'Other season' });
    await organization.schedule(owls._id, { ...win, teamTwoName: 'Guests' });
    await play(owls, other, win);
    await play(owls, hawks, { ...win, isScrimmage: true });
    await play(owls, hawks, { ...win, isTestGame: true });
    await play(owls, hawks, { teamOneScore: 9, teamTwoScore: 0 });
    await play(owls, hawks, { status: 'cancelled' });
    const deleted = await play(owls, hawks, win);
    await organization.call('delete', `/schedules/${deleted._id}?teamId=${owls._id}`).expect(200);
    expect(await table()).toEqual(['1 Hawks 1 0', '2 Foxes 1 1', '3 Owls 0 1']);
  });

  it('filters teams, and with them the games', async () => {
    expect(await table('?ageGroup=open&gender=coed')).toEqual(['1 Hawks 1 0', '2 Foxes 0 1']);
    for (const ageGroup of ['12U', '12u']) expect(await table(`?ageGroup=${ageGroup}`)).toEqual(['1 Owls 0 0']);
    expect(await table('?gender=COED')).toEqual(['1 Hawks 1 0', '2 Foxes 0 1']);
    expect(await table('?gender=female')).toEqual([]);
  });

  it('lists a team that has left the season only with its games, whoever owned them', async () => {
    const { _id } = await organization.season();
    const team = (name: string, ageGroup: string) => organization.team({ name, season: _id, ageGroup });
    const [old, young] = [await team('Old', '14U'), await team('Young', '12U')];
    const final = { status: 'final', teamOneScore: 6, teamTwoScore: 0, startDate: '2026-05-01T10:00:00Z' };
    await play(old, young, final);
    await organization.call('patch', `/teams/${young._id}`).send({ season }).expect(200);
    const namesOf = async (query: string) => {
      const response = await organization.call('get', `/seasons/${_id}/standings${query}`).expect(200);
      return (response.body as { data: { teamName: string }[] }).data.map(({ teamName }) => teamName);
    };
    expect([await namesOf(''), await namesOf('?ageGroup=12U')]).toEqual([['Old', 'Young'], []]);
    await organization.call('patch', `/teams/${young._id}`).send({ season: _id }).expect(200);
  });

  it('follows the rules of the season at once, which a query overrides one by one', async () => {
    const rules = {
      tiebreakers: ['points', 'pointDifference'],
      differenceCap: 3,
      winPoints: 3,
      forfeitScore: { winner: 28, loser: 0 },
    };
    const before = await get().expect(200);
    const patch = (standings: object | null) =>
      organization.call('patch', `/seasons/${season}`).send({ standings }).expect(200);
    await patch(rules);
    const changed = await get().set('If-None-Match', String(before.headers['etag'])).expect(200);
    const rowsOf = ({ body }: { body: unknown }) => (body as { data: Record<string, unknown>[] }).data;
    const values = ['teamName', 'points', 'pointsFor', 'pointsAgainst', 'pointDifference', 'decidedBy'];
    const shown = (response: { body: unknown }) =>
      rowsOf(response).map((row) => values.map((name) => row[name]).join(' '));
    expect(shown(changed)).toEqual(['Hawks 3 21 14 3 pointDifference', 'Foxes 3 42 21 0 points', 'Owls 0 0 28 -3 ']);
    const query = '?tiebreakers=wins,pointsFor&differenceCap=99&winPoints=0&tiePoints=0&forfeitScore=40-2';
    expect(shown(await get(query).expect(200))).toEqual([
      'Foxes 0 54 23 31 pointsFor',
      'Hawks 0 21 14 7 wins',
      'Owls 0 2 40 -38 ',
    ]);
    await patch(null);
    expect((await get().expect(200)).body).toEqual(before.body);
  });

  it('is empty for a shared season in which the organization has no team', async () => {
    const dates = { startDate: '2027-01-01T00:00:00Z', endDate: '2027-12-31T00:00:00Z' };
    const shared = await server.asSuperAdmin('post', '/seasons').send({ name: 'All', ...dates });
    const response = await organization.call('get', `/seasons/${(shared.body as Stored)._id}/standings`).expect(200);
    expect(response.body).toEqual({ data: [], total: 0 });
  });

  it('sends 304 until a team or a game of the organization changes', async () => {
    const etag = String((await get().expect(200)).headers['etag']);
    const unchanged = await get().set('If-None-Match', etag).set('Cache-Control', 'no-cache').expect(304);
    expect(unchanged.text).toBe('');
    const game = await play(hawks, owls, { status: 'final', teamOneScore: 1, teamTwoScore: 0 });
    const changed = await get().set('If-None-Match', etag).expect(200);
    expect(changed.headers['etag']).not.toBe(etag);
    // Also a change back within a second, and of a name.
    const update = (path: string, body: object) => organization.call('patch', path).send(body).expect(200);
    const etags = new Set([etag, changed.headers['etag']]);
    for (const teamOneScore of [2, 1]) {
      await update(`/schedules/${game._id}`, { teamId: hawks._id, teamOneScore, teamTwoScore: 0 });
      etags.add(String((await get().expect(200)).headers['etag']));
    }
    await update(`/teams/${owls._id}`, { name: 'Night Owls' });
    etags.add(String((await get().expect(200)).headers['etag']));
    await organization.call('delete', `/schedules/${game._id}?teamId=${hawks._id}`).expect(200);
    etags.add(String((await get().expect(200)).headers['etag']));
    expect(etags.size).toBe(6);
  });
});
