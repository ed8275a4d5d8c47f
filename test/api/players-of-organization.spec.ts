import { setTimeout as sleep } from 'node:timers/promises';
import { unknownId } from '../support/http-routes.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { readIds, readPage } from '../support/paging.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
/** Two teams of a season, and one of another. */
let teams: Stored[];
let players: Stored[];
let seasons: string[];

beforeAll(async () => {
  seasons = [(await organization.season())._id, (await organization.season())._id];
  teams = [];
  for (const season of [seasons[0], seasons[0], seasons[1]]) teams.push(await organization.team({ season }));
  players = [];
  for (const { _id } of teams) {
    for (const externalId of [undefined, 'erp-7'])
      players.push(await organization.player(_id, externalId === undefined ? {} : { externalId }));
  }
  await organization.call('delete', pathOf(await organization.player(String(teams[0]?._id)))).expect(200);
  const other = await createOrganization(server);
  await other.player((await other.team())._id, { externalId: 'erp-7' });
});

const pathOf = ({ _id, teamId }: Stored) => `/teams/${String(teamId)}/players/${_id}`;
const list = (query: string) => organization.call('get', `/players${query}`);
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
    const season = (await organization.season())._id;
    const team = await organization.team({ season });
    const [record, old] =
      path === '/players'
        ? [await organization.player(team._id), await organization.player(team._id)]
        : path === '/teams'
          ? [team, await organization.team({ season })]
          : [await organization.schedule(team._id), await organization.schedule(team._id)];
    await sleep(2);
    const target = path === '/players' ? pathOf(record) : `${path}/${record._id}`;
    const body = path === '/schedules' ? { teamId: team._id, eventTitle: 'Final' } : { name: 'Changed' };
    const changed = (await organization.call('patch', target).send(body).expect(200)).body as Stored;
    const query = `?season=${season}&updatedFrom=${String(changed['updatedAt'])}`;
    const page = await readPage((sent) => organization.call('get', `${path}${sent}`), query);
    expect(page).toEqual({ data: [changed], total: 1 });
    const all = await readIds((sent) => organization.call('get', `${path}${sent}`), `?season=${season}`);
    expect(all.toSorted()).toEqual([record._id, old._id].sort());
  });
});

describe('GET /schedules?season=', () => {
  it('lists the schedules of the season, with an exact total after every change', async () => {
    const [season, later] = [(await organization.season())._id, (await organization.season())._id];
    const home = await organization.team({ season });
    const away = await organization.team({ season: later });
    const game = await organization.schedule(home._id, { teamTwoId: away._id });
    const schedules = (query: string) => organization.call('get', `/schedules${query}`);
    expect(await readPage(schedules, `?season=${season}`)).toEqual({ data: [game], total: 1 });
    expect(await readPage(schedules, `?season=${later}&filter=upcoming`)).toEqual({ data: [], total: 0 });
    await organization.call('patch', `/teams/${home._id}`).send({ season: later }).expect(200);
    const moved = await readPage(schedules, `?season=${later}&teamId=${away._id}`);
    expect(moved).toMatchObject({ data: [{ _id: game._id, season: later, revision: 2 }], total: 1 });
    expect(await readPage(schedules, `?season=${season}`)).toEqual({ data: [], total: 0 });
  });
});
