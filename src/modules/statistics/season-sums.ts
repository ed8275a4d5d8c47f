import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../access/request-context.js';
import { Clock } from '../../config/clock.js';
import { runInTurns, type Steps } from '../../http/turns.js';
import type { CountedGame } from '../schedules/schedules.repository.js';
import { PlayerStatisticsRepository } from './player-statistics.repository.js';
import { mergeSums, type PlayerSums } from './rules/season-totals.rules.js';
import type { StatisticsCategory } from './rules/statistics-table.js';

const day = 24 * 60 * 60_000;
/** How many players' sums are kept: those of two lists of 20,000 players. */
const maxKept = 40_000;
/** The games whose rows one command adds up, in less than its time limit even on a busy database. */
const gamesAtOnce = 20_000;

/** What is added up: the rows of a category in some games, or of one team in them. */
interface Rows {
  readonly category: StatisticsCategory;
  readonly teamId: string | undefined;
}

type Read = readonly [tenant: Tenant, rows: Rows, games: readonly CountedGame[]];

/**
 * Adds up what players did in games. Adding up 40,000 rows takes the database 0.4 s, so the sums of games whose
 * statistics have not changed lately are kept, and a change costs only the rows of recent games.
 */
@Injectable()
export class SeasonSums {
  private readonly settled = new LRUCache<string, PlayerSums[], Read>({
    maxSize: maxKept,
    sizeCalculation: (sums) => sums.length + 1,
    // Requests at the same time wait for the same sums, even if others displace them.
    fetchMethod: (_key, _stale, { context }) => this.read(...context),
    ignoreFetchAbort: true,
  });

  constructor(
    private readonly statistics: PlayerStatisticsRepository,
    private readonly clock: Clock,
  ) {}

  async find(...[tenant, rows, games]: Read): Promise<PlayerSums[]> {
    // Half a day later than midnight, which is during evening games in America.
    const start = Math.floor((this.clock.now().getTime() - day / 2) / day) * day;
    const isRecent = ({ statisticsWrittenAt }: CountedGame) => Number(statisticsWrittenAt) >= start;
    const context: Read = [tenant, rows, games.filter((game) => !isRecent(game))];
    const [earlier = [], later] = await Promise.all([
      this.settled.fetch(await runInTurns(keyOf(...context)), { context }),
      this.read(tenant, rows, games.filter(isRecent)),
    ]);
    return runInTurns(mergeSums(earlier, later));
  }

  private async read(...[tenant, { category, teamId }, games]: Read): Promise<PlayerSums[]> {
    let sums: PlayerSums[] = [];
    for (let start = 0; start < games.length; start += gamesAtOnce) {
      const ids = games.slice(start, start + gamesAtOnce).map(({ _id }) => _id);
      sums = await runInTurns(mergeSums(sums, await this.statistics.sumByPlayer(tenant, ids, category, teamId)));
    }
    return sums;
  }
}

/** Returns a key that differs after every change of the games' statistics. */
function* keyOf(...[{ organization }, { category, teamId }, games]: Read): Steps<string> {
  const key = createHash('sha256').update(`${organization.id} ${category} ${teamId}`);
  for (const { _id, statisticsWrittenAt, statisticsRevision } of games) {
    yield;
    key.update(` ${String(_id)} ${Number(statisticsWrittenAt)} ${statisticsRevision}`);
  }
  return key.digest('base64url');
}
