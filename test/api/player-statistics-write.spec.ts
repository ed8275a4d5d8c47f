import { callWithToken, loginBothRoles } from '../support/admins.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { createGame, qbRow, type SentRow, type StatisticsRow, type TestGame } from '../support/game.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

describe('permission to write the statistics of a game', () => {
  it('is granted to super admins, and to the creator and the admins of its organization', async () => {
    const game = await createGame(server);
    const { creator, admin } = await loginBothRoles(game.organization);
    const rows = [qbRow(game.homePlayer)];
    await game.put(rows).expect(200);
    await callWithToken(server, creator, 'put', game.adminPath).send({ rows }).expect(200);
    await callWithToken(server, admin, 'put', game.adminPath).send({ rows }).expect(200);
  });
});

describe('PUT /schedules/{scheduleId}/player-statistics', () => {
  it('removes all rows if none are sent, and does not affect other games', async () => {
    const game = await createGame(server);
    const other = await game.organization.schedule(game.home._id, { teamTwoId: game.away._id });
    const otherPath = `/schedules/${other._id}/player-statistics`;
    await server
      .asSuperAdmin('put', otherPath)
      .send({ rows: [qbRow(game.homePlayer, 9)] })
      .expect(200);
    await game.write([qbRow(game.homePlayer, 1)]);
    expect((await game.put([]).expect(200)).body).toEqual({ data: [], total: 0 });
    expect(await game.read()).toEqual([]);
    const response = await game.organization.call('get', otherPath).expect(200);
    expect((response.body as { data: SentRow[] }).data.map(({ stats }) => stats['completions'])).toEqual([9]);
  });
});

describe('name, number and team in a row', () => {
  it('stay as at the game after the player was renamed and renumbered, even after the next PUT', async () => {
    const game = await createGame(server);
    const { homePlayer, home, organization } = game;
    await game.write([qbRow(homePlayer)]);
    const change = { name: 'Jordan Smith', jerseyNumber: '12' };
    await organization.call('patch', `/teams/${home._id}/players/${homePlayer._id}`).send(change).expect(200);

    const atGame = { playerName: 'Jordan Lee', jerseyNumber: '7', teamId: home._id, teamName: 'Hawks' };
    expect(await game.read()).toEqual([expect.objectContaining(atGame)]);
    await game.write([qbRow(homePlayer, 5), { ...qbRow(homePlayer), category: 'punt', stats: {} }]);
    expect(await game.read()).toEqual([expect.objectContaining(atGame), expect.objectContaining(atGame)]);
  });

  it('stay after the player was deleted, who can still get rows of other categories in the next PUT', async () => {
    const game = await createGame(server);
    const { awayPlayer, away, organization } = game;
    await game.write([qbRow(awayPlayer, 1)]);
    await organization.call('delete', `/teams/${away._id}/players/${awayPlayer._id}`).expect(200);

    const atGame = { playerName: 'Casey Kim', jerseyNumber: '00', teamId: away._id, teamName: 'Falcons' };
    expect(await game.read()).toEqual([expect.objectContaining(atGame)]);
    await game.write([qbRow(awayPlayer, 2), { ...qbRow(awayPlayer), category: 'return', stats: {} }]);
    expect(await game.read()).toEqual([expect.objectContaining(atGame), expect.objectContaining(atGame)]);
  });
});

describe('two concurrent PUTs', () => {
  it('both succeed, and leave the rows of exactly one', async () => {
    const game = await createGame(server);
    const third = await game.organization.player(game.home._id, { name: 'Third' });
    for (let round = 1; round <= 6; round++) {
      const sent = [
        [qbRow(game.homePlayer, round), qbRow(third, round)],
        [qbRow(game.homePlayer, 100 + round), qbRow(game.awayPlayer, 100 + round)],
      ];
      const written = await Promise.all(sent.map((rows) => game.write(rows)));

      written.forEach((rows, index) => {
        const completions = index === 0 ? round : 100 + round;
        expect(rows.map(({ stats }) => stats['completions'])).toEqual([completions, completions]);
      });
      expect(written).toContainEqual(await game.read());
    }
  });
});

/** The rules of rows and counters are those of the admin route. */
describe('PUT /schedules/{scheduleId}/player-statistics with a key', () => {
  let game: TestGame;

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
    const repeated = [game.homePlayer._id, game.homePlayer._id.toUpperCase()].map((playerId) => row({ playerId }, 1));
    expectFieldError(await put(repeated), 'rows[1].playerId');
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

  it('lets two scorers write one side each at once without losing a row', async () => {
    for (let round = 1; round <= 8; round++) {
      const writes = [
        put([qbRow(game.homePlayer, round)], { teamId: game.home._id }),
        put([qbRow(game.awayPlayer, round)], { teamId: game.away._id }),
      ];
      for (const { status } of await Promise.all(writes)) expect({ round, status }).toEqual({ round, status: 200 });
      expect((await stored()).map(([, completions]) => completions)).toEqual([round, round]);
    }
  });
});
