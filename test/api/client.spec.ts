import {
  type Api,
  type ChangeResponse,
  createClient,
  isError,
  verifyWebhook,
  WebhookVerificationError,
} from '../../clients/typescript/src/index.js';
import { createGame, rowsOfPlayers, type TestGame } from '../support/game.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { Webhook } from 'standardwebhooks';

const server = RunningServer.forTests();

describe('lists and records of the TypeScript client', () => {
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
    const rows = Array.from({ length: number }, (_, index) => ({
      externalId: `club-${index}`,
      name: 'Owls',
      season,
    }));
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

  describe('a list that has only pages', () => {
    let game: TestGame;

    beforeEach(async () => {
      game = await createGame(server);
      client = createClient({ apiKey: game.organization.key.apiKey, baseUrl: proxy.url });
    });

    /** Iterates the season statistics, and returns the number of rows on each page, and their players. */
    async function read(query = {}) {
      proxy.requests.length = 0;
      const path = { seasonId: String(game.home['season']) };
      const pages = [];
      const totals = client.playerStatistics.getSeasonStatistics({ path, query: { category: 'qb', ...query } });
      for await (const { data } of totals.pages()) pages.push(data.map(({ playerId }) => playerId));
      return { lengths: pages.map(({ length }) => length), players: pages.flat() };
    }

    it('is iterated to its end, in pages of 100 rows unless the caller has set a limit', async () => {
      const rows = await rowsOfPlayers(game, 130);
      await game.write(rows);
      const { lengths, players } = await read();
      expect(lengths).toEqual([100, 30]);
      expect(players.sort()).toEqual(rows.map(({ playerId }) => playerId).sort());
      // The first request has shown that there are more than 20 rows.
      expect(proxy.requests).toHaveLength(3);
      expect((await read({ page: 6 })).lengths).toEqual([20, 10]);
      expect((await read({ limit: 60 })).lengths).toEqual([60, 60, 10]);
      expect(proxy.requests).toHaveLength(3);
      const path = { scheduleId: game.schedule._id };
      // All rows of a list without pages are in one response.
      for await (const page of client.playerStatistics.get({ path }).pages()) expect(page.data).toHaveLength(130);
      expect(proxy.requests).toHaveLength(4);
    });

    it('ends if rows are added or removed meanwhile', async () => {
      const rows = await rowsOfPlayers(game, 20);
      for (const [before, change, lengths] of [
        [10, 2, [5, 5, 5, 3]],
        [20, -6, [5, 3]],
        [18, -9, [5, 0]],
      ] as const) {
        let number: number = before;
        proxy.faultOf = async () => (await game.write(rows.slice(0, (number += change))), undefined);
        expect((await read({ limit: 5 })).lengths).toEqual(lengths);
      }
    });
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
      client.teams.upsert({
        path: { externalId: 'club-0' },
        body: { name },
        headers: { 'X-Request-Id': 'a-rename' },
      });
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
const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32)).toString('base64')}`;
const secret = secretOf('the secret');
const otherSecret = secretOf('another secret');
const data = { kind: 'team', id: '6650f1f77bcf86cd79943921', externalId: 'club-7', revision: 2, deleted: false };
const event = { type: 'team.updated', timestamp: '2027-05-01T10:00:00.000Z', data };
const body = JSON.stringify(event);
const now = Date.parse('2027-05-01T10:00:01.000Z');
const seconds = 1_000;

/** Returns the headers of a request that the `standardwebhooks` package has signed, with each secret. */
function headersOf({ age = 0, secrets = [secret], sent = body } = {}): Record<string, string> {
  const at = new Date(now - age);
  return {
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / seconds)),
    'webhook-signature': secrets.map((each) => new Webhook(each).sign('event-1', at, sent)).join(' '),
  };
}

const verify = (
  headers: Record<string, string>,
  sent: string | Uint8Array = body,
  secrets: string | string[] = secret,
) => verifyWebhook({ body: sent, headers, secret: secrets }, now);

describe('verifyWebhook of the TypeScript client', () => {
  it('returns the event of a signed request', async () => {
    expect(await verify(headersOf())).toEqual({ id: 'event-1', ...event });
    expect(await verify(headersOf(), Buffer.from(body))).toEqual({ id: 'event-1', ...event });
  });

  it('accepts headers as an object with any case, as Headers, and as pairs', async () => {
    const headers = headersOf();
    const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    await expect(verify(upperCase)).resolves.toMatchObject(event);
    await expect(verifyWebhook({ body, headers: new Headers(headers), secret }, now)).resolves.toMatchObject(event);
    // The Headers of another `fetch` are iterable, too.
    const pairs = new Map(Object.entries(headers));
    await expect(verifyWebhook({ body, headers: pairs, secret }, now)).resolves.toMatchObject(event);
  });

  it('accepts one of several signatures, and one of several secrets', async () => {
    for (const secrets of [
      [secret, otherSecret],
      [otherSecret, secret],
    ]) {
      await expect(verify(headersOf({ secrets }))).resolves.toMatchObject(event);
      await expect(verify(headersOf(), body, secrets)).resolves.toMatchObject(event);
    }
  });

  it.each([300, -300])('accepts a request that is %i seconds old', async (age) => {
    await expect(verify(headersOf({ age: age * seconds }))).resolves.toMatchObject(event);
  });

  it('verifies the bytes of a body with other letters than ASCII', async () => {
    const sent = JSON.stringify({ ...event, data: { externalId: 'Łódź 🏈' } });
    await expect(verify(headersOf({ sent }), sent)).resolves.toMatchObject({ data: { externalId: 'Łódź 🏈' } });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a changed body', headersOf(), body.replace('club-7', 'club-8')],
    ['a changed ID', { ...headersOf(), 'webhook-id': 'event-2' }, body],
    ['a changed timestamp', { ...headersOf(), 'webhook-timestamp': String(now / seconds - 9) }, body],
    ['another secret', headersOf({ secrets: [otherSecret] }), body],
    ['an old timestamp', headersOf({ age: 302 * seconds }), body],
    ['a malformed timestamp', { ...headersOf(), 'webhook-timestamp': 'now' }, body],
    ['a malformed signature', { ...headersOf(), 'webhook-signature': 'v1' }, body],
    ['a signature of another version', { ...headersOf(), 'webhook-signature': `v2,${'A'.repeat(43)}=` }, body],
    ['no signature', { ...headersOf(), 'webhook-signature': '' }, body],
  ])('rejects %s', async (_name, headers, sent) => {
    await expect(verify(headers, sent)).rejects.toThrow(WebhookVerificationError);
  });

  it.each<[string, unknown, RegExp]>([
    ['no secrets', { secret: [] }, /^"secret" is missing/],
    ['a parsed body', { body: event }, /^"body" must be the body as received/],
  ])('names the cause of %s', async (_name, fields, message) => {
    const call = verifyWebhook({ body, headers: headersOf(), secret, ...(fields as object) }, now);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(message);
  });

  it.each(['whsec_', 'whsec_é'])('throws a TypeError for the malformed secret "%s"', async (malformed) => {
    await expect(verify(headersOf(), body, malformed)).rejects.toThrow(TypeError);
  });
});
