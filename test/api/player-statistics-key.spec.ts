import { expectError, expectFieldError } from '../support/expectations.js';
import { createGame, qbRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { createKey } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

/** The rules of rows and counters are those of the admin route, see player-statistics-write.spec.ts. */
describe('PUT /schedules/{scheduleId}/player-statistics with a key', () => {
  let server: RunningServer;
  let game: TestGame;

  beforeAll(async () => {
    server = await RunningServer.shared();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    game = await createGame(server);
  });

  const put = (rows: unknown, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    game.organization.call('put', game.adminPath).query(query).set(headers).send({ rows });
  const rowsOf = ({ body }: { body: unknown }) =>
    (body as { data: StatisticsRow[] }).data.map(({ playerId, stats }) => [playerId, stats['completions']]);
  const row = (player: object, completions: number) => ({ ...player, category: 'qb', stats: { completions } });
  const stored = async () => rowsOf(await game.get());

  it('replaces all rows, audited with the key as the actor', async () => {
    await game.write([qbRow(game.awayPlayer, 9)]);
    expect(rowsOf(await put([qbRow(game.homePlayer, 2)]).expect(200))).toEqual([[game.homePlayer._id, 2]]);
    expect(await stored()).toEqual([[game.homePlayer._id, 2]]);
    const events = await server.asSuperAdmin('get', `/audit-events?organizationId=${game.organization.id}`).expect(200);
    const [event] = (events.body as { data: object[] }).data;
    const { keyPrefix } = game.organization.key;
    expect(event).toMatchObject({ action: 'replacePlayerStatistics', actor: { kind: 'apiKey', keyPrefix } });
  });

  it('requires the scope statistics:write', async () => {
    const { apiKey } = await createKey(server, game.organization.id, { scopes: ['statistics:read'] });
    const rejected = await game.organization.call('put', game.adminPath, apiKey).send({ rows: [] });
    expect(expectError(rejected, 40305).message).toContain('statistics:write');
  });

  it('names players by their external ID and team', async () => {
    const path = (team: { _id: string }, player: { _id: string }) => `/teams/${team._id}/players/${player._id}`;
    // Unique within a team only.
    const externalId = 'player-7';
    await game.organization.call('patch', path(game.home, game.homePlayer)).send({ externalId }).expect(200);
    await game.organization.call('patch', path(game.away, game.awayPlayer)).send({ externalId }).expect(200);
    const named = (team: { _id: string }) => ({ playerExternalId: externalId, teamId: team._id });
    await put([row(named(game.home), 1), row(named(game.away), 2)]).expect(200);
    expect(new Map((await stored()) as [string, number][])).toEqual(
      new Map([
        [game.homePlayer._id, 1],
        [game.awayPlayer._id, 2],
      ]),
    );
    const wrong: [object, string][] = [
      [{ playerExternalId: externalId }, 'rows[0].teamId'],
      [{ playerExternalId: externalId, teamId: 'f'.repeat(24) }, 'rows[0].teamId'],
      [{ playerExternalId: 'nobody', teamId: game.home._id }, 'rows[0].playerExternalId'],
    ];
    for (const [player, field] of wrong) expectFieldError(await put([row(player, 1)]), field);
    const twice = [row({ playerId: game.homePlayer._id }, 1), row(named(game.home), 1)];
    expectFieldError(await put(twice), 'rows[1].playerExternalId');
    // Against a guest there is only one team, which may be omitted.
    const guests = await game.organization.schedule(game.home._id);
    const guestPath = `/schedules/${guests._id}/player-statistics`;
    const body = { rows: [row({ playerExternalId: externalId }, 3)] };
    expect(rowsOf(await game.organization.call('put', guestPath).send(body).expect(200))).toEqual([
      [game.homePlayer._id, 3],
    ]);
  });

  it('accepts the external ID of a deleted player of the stored rows, unless a player of the team has it now', async () => {
    const externalId = 'player-8';
    const path = `/teams/${game.home._id}/players`;
    await game.organization.call('patch', `${path}/${game.homePlayer._id}`).send({ externalId }).expect(200);
    const named = row({ playerExternalId: externalId, teamId: game.home._id }, 1);
    await put([named]).expect(200);
    await game.organization.call('delete', `${path}/${game.homePlayer._id}`).expect(200);
    expect(rowsOf(await put([named]).expect(200))).toEqual([[game.homePlayer._id, 1]]);
    const successor = await game.organization.player(game.home._id, { name: 'Successor', externalId });
    expect(rowsOf(await put([named]).expect(200))).toEqual([[successor._id, 1]]);
    await put([]).expect(200);
    await game.organization.call('delete', `${path}/${successor._id}`).expect(200);
    expectFieldError(await put([named]), 'rows[0].playerExternalId');
  });

  it('replaces the rows of one side, and rejects those of the other one', async () => {
    await put([qbRow(game.homePlayer, 1), qbRow(game.awayPlayer, 1)]).expect(200);
    expect(rowsOf(await put([], { teamId: game.away._id }).expect(200))).toEqual([]);
    expect(await stored()).toEqual([[game.homePlayer._id, 1]]);
    expectFieldError(await put([qbRow(game.homePlayer, 2)], { teamId: game.away._id }), 'rows[0].playerId');
    const third = await game.organization.team({ name: 'Third', season: game.home['season'] });
    expectFieldError(await put([], { teamId: third._id }), 'teamId');
    expectError(await put([], { teamId: 'f'.repeat(24) }), 40301);
  });

  it('rejects a practice and a cancelled game', async () => {
    for (const fields of [{ eventType: 'practice' }, { status: 'cancelled' }]) {
      game = await createGame(server, fields);
      expectFieldError(await put([]), 'scheduleId');
    }
  });

  it('has an ETag, with which a scorer cannot overwrite what another one has written', async () => {
    const etagOf = ({ headers }: { headers: unknown }) => (headers as { etag: string }).etag;
    const first = etagOf(await game.get().expect(200));
    expect(first).toBe('"1"');
    const { etag } = (await put([qbRow(game.homePlayer, 1)], {}, { 'If-Match': first }).expect(200)).headers as Record<
      string,
      string
    >;
    expect(etag).toBe(etagOf(await game.get()));
    await game.get().set('If-None-Match', String(etag)).expect(304);
    expectError(await put([], {}, { 'If-Match': first }), 41201);
    expect(await stored()).toEqual([[game.homePlayer._id, 1]]);
    // A change by an admin counts as well.
    await game.write([]);
    expectError(await put([], {}, { 'If-Match': String(etag) }), 41201);
  });

  it('lets two scorers write one side each at once without losing a row', async () => {
    for (let round = 1; round <= 200; round++) {
      const writes = [
        put([qbRow(game.homePlayer, round)], { teamId: game.home._id }),
        put([qbRow(game.awayPlayer, round)], { teamId: game.away._id }),
      ];
      for (const { status } of await Promise.all(writes)) expect({ round, status }).toEqual({ round, status: 200 });
      expect((await stored()).map(([, completions]) => completions)).toEqual([round, round]);
    }
  }, 120_000);
});
