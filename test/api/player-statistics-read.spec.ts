import { statisticsCategories, statisticsTable } from '../../src/modules/statistics/rules/statistics-table.js';
import { expectFieldError } from '../support/expectations.js';
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

describe('GET /schedules/{id}/player-statistics', () => {
  it('returns all rows without paging, and an empty list if there are none', async () => {
    expect(await game.read()).toHaveLength(10);
    const response = await (await createGame(server)).get().expect(200);
    expect(response.body).toEqual({ data: [], total: 0 });
  });

  it('returns a row with team, player, jersey number at the game, all counters and derived rates', async () => {
    const own = await createGame(server);
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
    const own = await createGame(server);
    const numberless = await own.organization.player(own.home._id, { name: 'No Number' });
    await own.write([qbRow(numberless), qbRow(own.awayPlayer)]);
    const rows = await own.read();
    expect(rows.find(({ playerId }) => playerId === numberless._id)).not.toHaveProperty('jerseyNumber');
    expect(rows.find(({ playerId }) => playerId === own.awayPlayer._id)?.jerseyNumber).toBe('00');
  });

  it('orders rows by team name, category, player name, player ID', async () => {
    const own = await createGame(server);
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

describe('rows', () => {
  /** A game with one row, which no test of this file changes. */
  let game: TestGame;

  beforeAll(async () => {
    game = await createGame(server);
    await game.write([qbRow(game.homePlayer, 4)]);
  });

  describe('a player of neither team is rejected and changes nothing', () => {
    it('if the player was deleted before the game and had no row in it', async () => {
      const { organization, home } = game;
      const player = await organization.player(home._id);
      await organization.call('delete', `/teams/${home._id}/players/${player._id}`).expect(200);
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
    const game = await createGame(server);
    // With five rows each, more than the two batches of 101 in which a driver may read them.
    const players = await rowsOfPlayers(game, 60);
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
    const reading = mapBounded(Array.from({ length: 6 }), 6, async () => {
      const seen: string[] = [];
      while (isWriting) seen.push(await read());
      return seen;
    });
    for (let count = 1; count <= 8; count++) {
      const version = await put(count);
      expect(await read()).toBe(version);
    }
    isWriting = false;
    const seen = (await reading).flat();
    expect(seen.length).toBeGreaterThan(8);
    expect(seen.filter((version) => !written.has(version))).toEqual([]);
  }, 60_000);
});
