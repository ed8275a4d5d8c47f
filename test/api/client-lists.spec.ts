import { type Api, type ChangeResponse, createClient, isError } from '../../clients/typescript/src/index.js';
import { createGame } from '../support/game.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

describe('lists and records of the TypeScript client', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);
  let season: string;
  let proxy: FaultyProxy;
  let client: Api;

  beforeEach(async () => {
    season = (await organization.season())._id;
    proxy = await FaultyProxy.start(server.url);
    const { apiKey } = organization.key;
    client = createClient({ apiKey, baseUrl: proxy.url, sleep: () => Promise.resolve() });
  });
  afterEach(() => proxy.stop());

  /** Creates teams with the external IDs `club-0`, `club-1`, …, and returns these. */
  async function createTeams(number: number): Promise<string[]> {
    const rows = Array.from({ length: number }, (_, index) => ({ externalId: `club-${index}`, name: 'Owls', season }));
    for (let start = 0; start < number; start += 100)
      await client.teams.bulkUpsert({ body: { rows: rows.slice(start, start + 100) } });
    proxy.requests.length = 0;
    return rows.map(({ externalId }) => externalId);
  }

  it('iterates all rows of a list, also if responses are lost', async () => {
    const created = await createTeams(130);
    proxy.faultOf = () => (proxy.requests.length % 2 === 1 ? 'lost response' : undefined);
    const read: (string | undefined)[] = [];
    for await (const team of client.teams.list({ query: { season } })) read.push(team.externalId);
    expect(read).toEqual(created);
    // A first page of 20 rows, and two with 100, each sent twice.
    expect(proxy.requests).toHaveLength(6);
    expect(proxy.requests.every((request) => request.includes(`season=${season}`))).toBe(true);
  });

  it('sends no further request if the iteration ends early', async () => {
    await createTeams(5);
    for await (const team of client.teams.list({ query: { limit: 2 } })) if (team.externalId === 'club-1') break;
    expect(proxy.requests).toHaveLength(1);
  });

  it('iterates lists without pages, and awaits the first page of any list', async () => {
    for await (const endpoint of client.webhooks.list()) expect(endpoint).toBeUndefined();
    expect(await client.webhooks.list()).toEqual({ data: [], total: 0 });
    const done: string[] = [];
    await client.seasons.list().finally(() => done.push('finally'));
    await client.teams
      .list({ query: { limit: 0 } })
      .catch((error: unknown) => done.push(String(isError(error, 40001))));
    expect(done).toEqual(['finally', 'true']);
  });

  it('follows the change feed from a stored cursor, without missing a write that happens meanwhile', async () => {
    const created = await createTeams(5);
    const copy = new Map<string, ChangeResponse['record']>();
    let cursor: string | undefined;
    const follow = async (afterPage: () => Promise<unknown> = () => Promise.resolve()) => {
      const query = { kinds: ['team' as const], limit: 2, ...(cursor !== undefined && { cursor }) };
      for await (const page of client.changes.list({ query }).pages()) {
        for (const { id, deleted, record } of page.data) if (!deleted) copy.set(id, record);
        cursor = page.nextCursor;
        await afterPage();
      }
    };
    await eventually('the feed has the teams', async () => (await follow(), copy.size === created.length));
    const rename = (name: string) =>
      client.teams.upsert({ path: { externalId: 'club-0' }, body: { name }, headers: { 'X-Request-Id': 'a-rename' } });
    const names = ['Foxes', 'Bears', 'Hawks'];
    const { _id } = await rename('Wolves');
    await eventually('the feed has the last name', async () => {
      await follow(async () => names.length > 0 && (await rename(names.shift() ?? '')));
      return names.length === 0 && (copy.get(_id) as { name?: string } | undefined)?.name === 'Hawks';
    });
    expect(copy.size).toBe(created.length);
  });

  it("creates and updates seasons, and iterates the organization's players of a season", async () => {
    const dates = { startDate: '2027-08-15T00:00:00Z', endDate: '2027-11-30T00:00:00Z' };
    const created = await client.seasons.create({ body: { name: 'Fall', ...dates, externalId: 'fall' } });
    const path = { seasonId: created._id };
    const changed = await client.seasons.update({ path, body: { name: 'Autumn' }, ifMatch: created });
    expect((await client.seasons.list({ query: { externalId: 'fall' } })).data).toEqual([changed]);
    const teams = [await organization.team({ season: created._id }), await organization.team({ season: created._id })];
    const players = [];
    for (const { _id } of teams) players.push(await organization.player(_id), await organization.player(_id));
    await organization.player((await organization.team({ season }))._id);
    const read: string[] = [];
    const query = { season: created._id, limit: 3 };
    for await (const player of client.players.listAll({ query })) read.push(player._id);
    expect(read).toEqual(players.map(({ _id }) => _id));
  });

  it('returns the record that the caller has if it has not changed', async () => {
    const team = await client.teams.create({ body: { name: 'Owls', season } });
    const path = { teamId: team._id };
    expect(await client.teams.get({ path, ifNoneMatch: team })).toBe(team);
    const changed = await client.teams.update({ path, body: { name: 'Foxes' } });
    expect(await client.teams.get({ path, ifNoneMatch: team })).toEqual(changed);
  });

  it('rejects a change of a record that another request has changed', async () => {
    const team = await client.teams.create({ body: { name: 'Owls', season } });
    const path = { teamId: team._id };
    const changed = await client.teams.update({ path, body: { name: 'Foxes' }, ifMatch: team });
    const conflict = client.teams.update({ path, body: { name: 'Bears' }, ifMatch: team });
    await expect(conflict).rejects.toMatchObject({ status: 412, code: 41201 });
    expect(await client.teams.update({ path, body: { name: 'Bears' }, ifMatch: changed })).toMatchObject({
      name: 'Bears',
      revision: changed.revision + 1,
    });
  });

  it('gives statistics the revision of their ETag, with which two scorers cannot overwrite each other', async () => {
    const game = await createGame(server);
    client = createClient({ apiKey: game.organization.key.apiKey, baseUrl: proxy.url });
    const path = { scheduleId: game.schedule._id };
    const empty = await client.playerStatistics.get({ path });
    expect(empty.revision).toBe(1);
    const rows = [{ playerId: game.homePlayer._id, category: 'qb' as const, stats: { completions: 1 } }];
    const written = await client.playerStatistics.write({ path, body: { rows }, ifMatch: empty });
    expect(await client.playerStatistics.get({ path, ifNoneMatch: written })).toBe(written);
    const conflict = client.playerStatistics.write({ path, body: { rows: [] }, ifMatch: empty });
    await expect(conflict).rejects.toMatchObject({ status: 412, code: 41201 });
  });
});
