import { statisticsCategories, statisticsTable } from '../../src/modules/statistics/rules/statistics-table.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import {
  createGame,
  createGameWithAllCategories,
  qbRow,
  rowsOfPlayers,
  type SentRow,
  type StatisticsRow,
  type TestGame,
} from '../support/game.js';
import { RunningServer } from '../support/server.js';
import { mapBounded } from '../support/concurrency.js';

const server = RunningServer.forTests();

/** Has rows of both players in every category; for tests that only read. */
let game: TestGame;

beforeAll(async () => {
  game = await createGameWithAllCategories(server);
});

const newGame = (fields = {}) => createGame(server, fields, game.organization);

describe('GET /schedules/{id}/player-statistics', () => {
  it('returns all rows without paging, and an empty list if there are none', async () => {
    expect(await game.read()).toHaveLength(10);
    const response = await (await newGame()).get().expect(200);
    expect(response.body).toEqual({ data: [], total: 0 });
  });

  it('returns a row with team, player, jersey number at the game, all counters and derived rates', async () => {
    const own = await newGame();
    const { home, homePlayer, schedule } = own;
    const stats = {
      passAttempts: 35,
      completions: 22,
      passingYards: 280,
      passingTouchdowns: 2,
      interceptionsThrown: 1,
    };
    const put = await own.write([{ playerId: homePlayer._id, category: 'qb', stats }]);
    const data = await own.read();

    expect(data).toEqual(put);
    const { updatedAt, ...row } = data[0] ?? ({} as StatisticsRow);
    expect(updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(row).toEqual({
      scheduleId: schedule._id,
      category: 'qb',
      teamId: home._id,
      teamName: 'Hawks',
      playerId: homePlayer._id,
      playerName: 'Jordan Lee',
      jerseyNumber: '7',
      stats: { ...Object.fromEntries(Object.keys(statisticsTable.qb.counters).map((name) => [name, null])), ...stats },
      derived: {
        completionPercentage: 62.9,
        yardsPerAttempt: 8,
        yardsPerCompletion: 12.7,
        touchdownPercentage: 5.7,
        interceptionPercentage: 2.9,
        passerRating: 94.9,
        passingEfficiency: 143.2,
      },
    });
  });

  it('omits the number of a player without one, and keeps 00', async () => {
    const own = await newGame();
    const numberless = await own.organization.player(own.home._id, { name: 'No Number' });
    await own.write([qbRow(numberless), qbRow(own.awayPlayer)]);
    const rows = await own.read();
    expect(rows.find(({ playerId }) => playerId === numberless._id)).not.toHaveProperty('jerseyNumber');
    expect(rows.find(({ playerId }) => playerId === own.awayPlayer._id)?.jerseyNumber).toBe('00');
  });

  it('orders rows by team name, category, player name, player ID', async () => {
    const own = await newGame();
    const { organization, home, away } = own;
    const players = [
      await organization.player(home._id, { name: 'Zoe' }),
      await organization.player(home._id, { name: 'Alex' }),
      await organization.player(home._id, { name: 'Alex' }),
    ];
    const rows = [...players, own.awayPlayer].flatMap(({ _id }) =>
      ['return', 'qb', 'punt', 'defensive', 'offensive'].map((category): SentRow => ({
        playerId: _id,
        category,
        stats: {},
      })),
    );

    const put = await own.write(rows);

    const namesakes = [String(players[1]?._id), String(players[2]?._id)].sort();
    const hawks = statisticsCategories.flatMap((category) =>
      [...namesakes, String(players[0]?._id)].map((id) => [home._id, category, id]),
    );
    const falcons = statisticsCategories.map((category) => [away._id, category, own.awayPlayer._id]);
    const read = await own.read();
    expect(read.map(({ teamId, category, playerId }) => [teamId, category, playerId])).toEqual([...falcons, ...hawks]);
    expect(put).toEqual(read);
  });
});

describe('the parameter teamId', () => {
  it('limits the rows to one team', async () => {
    for (const [team, player] of [
      [game.home, game.homePlayer],
      [game.away, game.awayPlayer],
    ] as const) {
      const rows = await game.read({ teamId: team._id });
      expect(rows).toHaveLength(5);
      expect(new Set(rows.map(({ teamId, playerId }) => `${teamId} ${playerId}`))).toEqual(
        new Set([`${team._id} ${player._id}`]),
      );
      expect(await game.read({ teamId: team._id.toUpperCase(), categories: 'qb' })).toHaveLength(1);
    }
  });

  it('rejects a team of the organization that does not play', async () => {
    const other = await game.organization.team({ name: 'Owls' });
    expectFieldError(await game.get({ teamId: other._id }), 'teamId');
  });
});

describe('a player of neither team is rejected and changes nothing', () => {
  it('if the player was deleted before the game and had no row in it', async () => {
    const game = await newGame();
    await game.write([qbRow(game.homePlayer, 4)]);
    const player = await game.organization.player(game.home._id);
    await game.organization.call('delete', `/teams/${game.home._id}/players/${player._id}`).expect(200);
    await game.expectRowRejected(qbRow(player), 'rows[1].teamId');
  });

  it('if the opponent is a guest, so that only one team has players', async () => {
    const { organization, home, away, homePlayer, awayPlayer } = game;
    const guest = await organization.schedule(home._id, { teamTwoName: String(away['name']) });
    const path = `/schedules/${guest._id}/player-statistics`;
    const put = (rows: unknown) => server.asSuperAdmin('put', path).send({ rows });
    expectFieldError(await put([qbRow(homePlayer), qbRow(awayPlayer)]), 'rows[1].teamId');
    await put([qbRow(homePlayer)]).expect(200);
  });
});

describe('reading statistics while they are replaced', () => {
  interface RowsResponse {
    readonly data: StatisticsRow[];
    readonly total: number;
  }

  /** The PUTs that the rows of a response come from, and the number of rows. */
  const versionOf = ({ body }: { body: unknown }) => {
    const { data, total } = body as RowsResponse;
    return JSON.stringify({
      writtenAt: [...new Set(data.map(({ updatedAt }) => updatedAt))],
      rows: data.length,
      total,
    });
  };

  it('returns the rows of exactly one PUT, and those of the latest after its response', async () => {
    const game = await newGame();
    // With five rows each, more than the two batches of 101 in which a driver may read them.
    const players = await rowsOfPlayers(game, 45);
    const rows = players.flatMap((row) => statisticsCategories.map((category) => ({ ...row, category, stats: {} })));
    const written = new Set<string>();
    const put = async (index: number) => {
      const version = versionOf(await game.put(rows.slice(index % 2)).expect(200));
      written.add(version);
      return version;
    };
    const read = async () => versionOf(await game.get().expect(200));

    await put(0);
    let isWriting = true;
    const reading = mapBounded(Array.from({ length: 3 }), 3, async () => {
      const seen: string[] = [];
      while (isWriting) seen.push(await read());
      return seen;
    });
    for (let count = 1; count <= 4; count++) {
      const version = await put(count);
      expect(await read()).toBe(version);
    }
    isWriting = false;
    const seen = (await reading).flat();
    expect(seen.length).toBeGreaterThan(4);
    expect(seen.filter((version) => !written.has(version))).toEqual([]);
  });
});

describe('PUT /schedules/{scheduleId}/player-statistics', () => {
  it('removes all rows if none are sent, and does not affect other games', async () => {
    const game = await newGame();
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
    const game = await newGame();
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
    const game = await newGame();
    const { awayPlayer, away, organization } = game;
    await game.write([qbRow(awayPlayer, 1)]);
    await organization.call('delete', `/teams/${away._id}/players/${awayPlayer._id}`).expect(200);

    const atGame = { playerName: 'Casey Kim', jerseyNumber: '00', teamId: away._id, teamName: 'Falcons' };
    expect(await game.read()).toEqual([expect.objectContaining(atGame)]);
    await game.write([qbRow(awayPlayer, 2), { ...qbRow(awayPlayer), category: 'return', stats: {} }]);
    expect(await game.read()).toEqual([expect.objectContaining(atGame), expect.objectContaining(atGame)]);
  });
});

/** The rules of rows and counters are those of the admin route. */
describe('PUT /schedules/{scheduleId}/player-statistics with a key', () => {
  let game: TestGame;

  beforeEach(async () => {
    game = await newGame();
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
      game = await newGame(fields);
      expectFieldError(await put([]), 'scheduleId');
    }
  });

  it('leaves the rows of exactly one of two writes of the whole game at once', async () => {
    for (let round = 1; round <= 3; round++) {
      const writes = [put([qbRow(game.homePlayer, round)]), put([qbRow(game.awayPlayer, round)])];
      const written = (await Promise.all(writes.map((write) => write.expect(200)))).map(rowsOf);
      expect(written).toContainEqual(await stored());
    }
  });

  it('lets two scorers write one side each at once without losing a row', async () => {
    for (let round = 1; round <= 4; round++) {
      const writes = [
        put([qbRow(game.homePlayer, round)], { teamId: game.home._id }),
        put([qbRow(game.awayPlayer, round)], { teamId: game.away._id }),
      ];
      for (const { status } of await Promise.all(writes)) expect({ round, status }).toEqual({ round, status: 200 });
      expect((await stored()).map(([, completions]) => completions)).toEqual([round, round]);
    }
  });
});
