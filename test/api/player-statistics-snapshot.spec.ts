import { mapBounded } from '../support/concurrency.js';
import { createGame, type SentRow, type StatisticsRow, type TestGame } from '../support/game.js';
import type { Stored } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

const categories = ['qb', 'offensive', 'defensive', 'punt', 'return'];
/** With five rows each, more than the two batches of 101 in which a driver may read them. */
const players = 60;
const puts = 15;
const readers = 6;

const server = RunningServer.forTests();

interface RowsResponse {
  readonly data: StatisticsRow[];
  readonly total: number;
}

/** The PUTs that the rows of a response come from, and the number of rows. */
const versionOf = ({ data, total }: RowsResponse) =>
  JSON.stringify({ writtenAt: [...new Set(data.map(({ updatedAt }) => updatedAt))], rows: data.length, total });

const rowsOf = (roster: readonly Stored[]): SentRow[] =>
  roster.flatMap(({ _id }) => categories.map((category) => ({ playerId: _id, category, stats: {} })));

describe('reading statistics while they are replaced', () => {
  let game: TestGame;
  let roster: Stored[];

  beforeAll(async () => {
    game = await createGame(server);
    roster = await mapBounded(Array.from({ length: players }), 4, (_none, index) =>
      game.organization.player(game.home._id, { name: `Player ${index}` }),
    );
  });

  it('returns the rows of exactly one PUT, and those of the latest after its response', async () => {
    const versions = [rowsOf(roster), rowsOf(roster.slice(5))];
    const written = new Set<string>();
    const put = async (rows: readonly SentRow[]) => {
      const response = (await game.put(rows).expect(200)).body as RowsResponse;
      written.add(versionOf(response));
      return versionOf(response);
    };
    const read = async () => versionOf((await game.get().expect(200)).body as RowsResponse);

    await put(versions[0] ?? []);
    let isWriting = true;
    const reading = mapBounded(Array.from({ length: readers }), readers, async () => {
      const seen: string[] = [];
      while (isWriting) seen.push(await read());
      return seen;
    });
    for (let count = 1; count <= puts; count++) {
      const version = await put(versions[count % 2] ?? []);
      expect(await read()).toBe(version);
    }
    isWriting = false;
    const seen = (await reading).flat();
    expect(seen.length).toBeGreaterThan(puts);
    expect(seen.filter((version) => !written.has(version))).toEqual([]);
  }, 60_000);
});
