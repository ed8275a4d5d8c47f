import { expectError } from '../support/expectations.js';
import { type Stored, TestOrganization, createOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { FeedMirror } from '../support/feed.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { unknownId } from '../support/http-routes.js';
import { readIds, readPage } from '../support/paging.js';

const server = RunningServer.forTests();

const organization = TestOrganization.forTests(server);
const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /teams/{teamId}/players', () => {
  it('returns 201 with the unwrapped player; with only a name, position is empty and unset fields are omitted', async () => {
    const team = (await organization.team())._id;
    const create = organization.call('post', `/teams/${team}/players`).set('idem-key', 'a-player');
    expect((await create.send({ name: 'Jordan Lee' }).expect(201)).body).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
      teamId: team,
      organizationId: organization.id,
      name: 'Jordan Lee',
      position: [],
      revision: 1,
      changedBy: organization.asChangedBy(),
      createdAt: instant,
      updatedAt: instant,
    });
  });
});

describe('a player', () => {
  it('returns 40403 for a player of another team of the organization, who stays', async () => {
    const player = await organization.player((await organization.team())._id);
    const elsewhere = `/teams/${(await organization.team())._id}/players/${player._id}`;
    expectError(await organization.call('get', elsewhere), 40403);
    expectError(await organization.call('patch', elsewhere).send({ name: 'Renamed' }), 40403);
    expectError(await organization.call('delete', elsewhere), 40403);
    const own = `/teams/${String(player['teamId'])}/players/${player._id}`;
    expect((await organization.call('get', own).expect(200)).body).toEqual({ data: player });
  });
});

describe('a player who changes teams', () => {
  const organization = TestOrganization.forTests(server);
  let season: string;
  let from: string;
  let to: string;

  beforeAll(async () => {
    season = (await organization.season())._id;
  });
  beforeEach(async () => {
    [from, to] = [(await organization.team({ season }))._id, (await organization.team({ season }))._id];
  });

  const pathOf = (teamId: string, { _id }: Stored) => `/teams/${teamId}/players/${_id}`;
  const move = (player: Stored, teamId: unknown, fields: object = {}) =>
    organization.call('patch', pathOf(String(player['teamId']), player)).send({ ...fields, teamId });

  describe('PATCH /teams/{teamId}/players/{playerId} with teamId', () => {
    it('moves the player with ID and other fields; the path of the old team returns 404 from then on', async () => {
      const player = await organization.player(from, { externalId: 'erp-7', jerseyNumber: '7' });
      const response = await move(player, to, { jerseyNumber: '12' }).expect(200);
      const moved = response.body as Stored;
      const changes = { teamId: to, jerseyNumber: '12', revision: 2, updatedAt: moved['updatedAt'] };
      expect(moved).toEqual({ ...player, ...changes });
      expect(response.headers['etag']).toBe('"2"');
      expect((await organization.call('get', pathOf(to, player)).expect(200)).body).toEqual({ data: moved });
      const byExternalId = (team: string) => organization.call('get', `/teams/${team}/players/by-external-id/erp-7`);
      expect((await byExternalId(to).expect(200)).body).toEqual({ data: moved });
      expectError(await organization.call('get', pathOf(from, player)), 40403);
      expectError(await byExternalId(from), 40403);
      expectError(await move(player, to), 40403);
      const feed = new FeedMirror(organization);
      await feed.followUntil('the move', () => feed.get('player', player._id)?.revision === 2);
      expect(feed.get('player', player._id)).toMatchObject({ teamId: to, record: moved });
    });

    it('changes nothing if the player is on the team already', async () => {
      const player = await organization.player(from);
      expect((await move(player, from.toUpperCase()).expect(200)).body).toEqual(player);
    });

    it('rejects an external ID that is taken in the other team, unless the move changes it', async () => {
      const player = await organization.player(from, { externalId: 'erp-7' });
      await organization.player(to, { externalId: 'erp-7' });
      expectError(await move(player, to), 40905);
      const other = await organization.player(to, { externalId: 'erp-9' });
      expect(expectError(await move(player, to, { externalId: 'erp-9' }), 40905).message).toContain(other._id);
      await move(player, to, { externalId: 'erp-8' }).expect(200);
    });

    it('leaves one player with an external ID if two move to a team at once', async () => {
      const other = (await organization.team({ season }))._id;
      const movers = [
        await organization.player(from, { externalId: 'erp-7' }),
        await organization.player(other, { externalId: 'erp-7' }),
      ];
      const responses = await Promise.all(movers.map((player) => move(player, to)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    });

    it('moves to one of two teams at once, with and without If-Match', async () => {
      const other = (await organization.team({ season }))._id;
      for (const headers of [{}, { 'If-Match': '"1"' }]) {
        const player = await organization.player(from);
        const responses = await Promise.all([to, other].map((team) => move(player, team).set(headers)));
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
        const [moved] = responses.filter(({ status }) => status === 200).map(({ body }) => body as Stored);
        expect(moved).toMatchObject({ revision: 2 });
      }
    });
  });
});

const league = TestOrganization.forTests(server);
/** Two teams of a season, and one of another. */
let teams: Stored[];
let players: Stored[];
let seasons: string[];

beforeAll(async () => {
  seasons = [(await league.season())._id, (await league.season())._id];
  teams = [];
  for (const season of [seasons[0], seasons[0], seasons[1]]) teams.push(await league.team({ season }));
  players = [];
  for (const { _id } of teams) {
    for (const externalId of [undefined, 'erp-7'])
      players.push(await league.player(_id, externalId === undefined ? {} : { externalId }));
  }
  await league.call('delete', pathOf(await league.player(String(teams[0]?._id)))).expect(200);
  const other = await createOrganization(server);
  await other.player((await other.team())._id, { externalId: 'erp-7' });
});

const pathOf = ({ _id, teamId }: Stored) => `/teams/${String(teamId)}/players/${_id}`;
const list = (query: string) => league.call('get', `/players${query}`);
const idsOf = (indexes: readonly number[]) => indexes.map((index) => players[index]?._id);

describe('GET /players', () => {
  it("lists the organization's players of all teams, oldest first, without deleted ones", async () => {
    expect(await readPage(list)).toEqual({ data: players, total: 6 });
  });

  it.each<[() => string, number[]]>([
    [() => `teamId=${teams[1]?._id}`, [2, 3]],
    [() => `season=${seasons[0]}`, [0, 1, 2, 3]],
    [() => `season=${unknownId}`, []],
    [() => `season=${seasons[0]}&teamId=${teams[1]?._id}`, [2, 3]],
    [() => `season=${seasons[0]}&teamId=${teams[2]?._id}`, []],
    [() => 'externalId=erp-7', [1, 3, 5]],
    [() => `externalId=erp-7&season=${seasons[1]}`, [5]],
    [() => 'externalId=none', []],
  ])('filters by team, season and external ID: %#', async (query, expected) => {
    const { data, total } = await readPage(list, `?${query()}`);
    expect(data.map(({ _id }) => _id)).toEqual(idsOf(expected));
    expect(total).toBe(expected.length);
  });
});

describe('updatedFrom', () => {
  it.each(['/players', '/teams', '/schedules'])('%s lists what was created or changed since', async (path) => {
    const season = (await league.season())._id;
    const team = await league.team({ season });
    const [record, old] =
      path === '/players'
        ? [await league.player(team._id), await league.player(team._id)]
        : path === '/teams'
          ? [team, await league.team({ season })]
          : [await league.schedule(team._id), await league.schedule(team._id)];
    await sleep(2);
    const target = path === '/players' ? pathOf(record) : `${path}/${record._id}`;
    const body = path === '/schedules' ? { teamId: team._id, eventTitle: 'Final' } : { name: 'Changed' };
    const changed = (await league.call('patch', target).send(body).expect(200)).body as Stored;
    const query = `?season=${season}&updatedFrom=${String(changed['updatedAt'])}`;
    const page = await readPage((sent) => league.call('get', `${path}${sent}`), query);
    expect(page).toEqual({ data: [changed], total: 1 });
    const all = await readIds((sent) => league.call('get', `${path}${sent}`), `?season=${season}`);
    expect(all.toSorted()).toEqual([record._id, old._id].sort());
  });
});

describe('GET /schedules?season=', () => {
  it('lists the schedules of the season, with an exact total after every change', async () => {
    const [season, later] = [(await league.season())._id, (await league.season())._id];
    const home = await league.team({ season });
    const away = await league.team({ season: later });
    const game = await league.schedule(home._id, { teamTwoId: away._id });
    const schedules = (query: string) => league.call('get', `/schedules${query}`);
    expect(await readPage(schedules, `?season=${season}`)).toEqual({ data: [game], total: 1 });
    expect(await readPage(schedules, `?season=${later}&filter=upcoming`)).toEqual({ data: [], total: 0 });
    await league.call('patch', `/teams/${home._id}`).send({ season: later }).expect(200);
    const moved = await readPage(schedules, `?season=${later}&teamId=${away._id}`);
    expect(moved).toMatchObject({ data: [{ _id: game._id, season: later, revision: 2 }], total: 1 });
    expect(await readPage(schedules, `?season=${season}`)).toEqual({ data: [], total: 0 });
  });
});
