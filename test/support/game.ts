import { statisticsCategories } from '../../src/modules/statistics/rules/statistics-table.js';
import type request from 'supertest';
import { expectFieldError } from './expectations.js';
import { createOrganization, type Stored, type TestOrganization } from './organization.js';
import type { RunningServer } from './server.js';

/** A row of player statistics in a request. */
export interface SentRow {
  playerId: string;
  category: string;
  stats: Record<string, unknown>;
}

/** A row of player statistics in a response. */
export interface StatisticsRow extends SentRow {
  scheduleId: string;
  teamId: string;
  teamName: string;
  playerName: string;
  jerseyNumber?: string;
  stats: Record<string, number | null>;
  derived: Record<string, number | null>;
  updatedAt: string;
}

/** A game between two teams of an organization, each with one player. */
export class TestGame {
  constructor(
    readonly organization: TestOrganization,
    readonly home: Stored,
    readonly away: Stored,
    readonly schedule: Stored,
    /** Number 7 of the home team. */
    readonly homePlayer: Stored,
    /** Number 00 of the away team. */
    readonly awayPlayer: Stored,
  ) {}

  /** The path under which admins write the statistics. */
  get adminPath(): string {
    return `/schedules/${this.schedule._id}/player-statistics`;
  }

  /** A PUT by the super admin. */
  put(rows: unknown): request.Test {
    return this.organization.server.asSuperAdmin('put', this.adminPath).send({ rows });
  }

  /** Writes rows and returns those of the response. */
  async write(rows: readonly SentRow[]): Promise<StatisticsRow[]> {
    const response = await this.put(rows).expect(200);
    return (response.body as { data: StatisticsRow[] }).data;
  }

  /** A GET with the organization's key. */
  get(query: Record<string, string | string[]> = {}): request.Test {
    return this.organization.call('get', this.adminPath).query(query);
  }

  /** Reads the rows. */
  async read(query: Record<string, string | string[]> = {}): Promise<StatisticsRow[]> {
    const response = await this.get(query).expect(200);
    const { data, total } = response.body as { data: StatisticsRow[]; total: number };
    expect(total).toBe(data.length);
    return data;
  }

  /** Sends a valid row and an invalid one, and checks that the invalid one is named and nothing changed. */
  async expectRowRejected(row: unknown, field: string): Promise<void> {
    const before = await this.read();
    expectFieldError(await this.put([qbRow(this.homePlayer, 1), row]), field);
    expect(before).not.toEqual([]);
    expect(await this.read()).toEqual(before);
  }
}

/** The shortest valid row, of a player's passing. */
export function qbRow(player: { _id: string }, completions = 1): SentRow {
  return { playerId: player._id, category: 'qb', stats: { completions } };
}

/** Creates players of the home team, and returns a row of each. */
export async function rowsOfPlayers({ organization, home }: TestGame, number: number): Promise<SentRow[]> {
  const created: { _id: string }[] = [];
  for (let start = 0; start < number; start += 100) {
    const size = Math.min(100, number - start);
    const rows = Array.from({ length: size }, (_, index) => ({ externalId: `${start + index}`, name: 'Sam Park' }));
    const response = await organization.call('post', `/teams/${home._id}/players/bulk`).send({ rows }).expect(200);
    created.push(...(response.body as { data: { _id: string }[] }).data);
  }
  return created.map((player) => qbRow(player));
}

/** Creates a game between the Hawks and the Falcons, by default of a new organization. */
export async function createGame(
  server: RunningServer,
  fields: Record<string, unknown> = {},
  known?: TestOrganization,
): Promise<TestGame> {
  const organization = known ?? (await createOrganization(server));
  const season = (await organization.season())._id;
  const home = await organization.team({ name: 'Hawks', season });
  const away = await organization.team({ name: 'Falcons', season });
  const schedule = await organization.schedule(home._id, { teamTwoId: away._id, teamTwoName: 'Falcons', ...fields });
  const homePlayer = await organization.player(home._id, { name: 'Jordan Lee', jerseyNumber: '7' });
  const awayPlayer = await organization.player(away._id, { name: 'Casey Kim', jerseyNumber: '00' });
  return new TestGame(organization, home, away, schedule, homePlayer, awayPlayer);
}

/** Creates a game in which both players have a row of every category. */
export async function createGameWithAllCategories(server: RunningServer): Promise<TestGame> {
  const game = await createGame(server);
  await game.write(
    [game.homePlayer, game.awayPlayer].flatMap(({ _id: playerId }) =>
      statisticsCategories.map((category) => ({ playerId, category, stats: {} })),
    ),
  );
  return game;
}

/** Expects what the scorekeepers in `examples` write, beside the row with 9 completions of the other side. */
export async function expectKeptScore(game: TestGame): Promise<void> {
  const schedule = await game.organization.call('get', `/schedules/${game.schedule._id}`).expect(200);
  expect(schedule.body).toMatchObject({ data: { status: 'final', teamOneScore: 6, teamTwoScore: 0 } });
  const { data } = (await game.get().expect(200)).body as { data: StatisticsRow[] };
  const rows = data.map(({ playerId, stats }) => [playerId, stats['completions']] as const);
  expect(new Map(rows)).toEqual(
    new Map([
      [game.homePlayer._id, 1],
      [game.awayPlayer._id, 9],
    ]),
  );
}
