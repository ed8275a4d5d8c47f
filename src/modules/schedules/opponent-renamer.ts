import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock, pause } from '../../config/clock.js';
import { type OrganizationScope, unconditional } from '../../access/request-context.js';
import { visibilityDelayMilliseconds } from '../../database/count-cache.js';
import { isDatabaseUnavailable } from '../../database/database-error.js';
import type { CursorPosition } from '../../database/list-queries.js';
import type { RecordId } from '../../database/record.js';
import { type RenamedTeam, TeamsRepository } from '../teams/teams.repository.js';
import { SchedulesRepository } from './schedules.repository.js';

const pollMilliseconds = 2_000;
/** Between two turns, in which requests have the database for themselves. */
const pauseMilliseconds = 50;
/** Of one request, so many teams have their first games renamed before the response. */
const teamsAtOnce = 10;

/** The games of a team that are being renamed: since when, and after which game it continues. */
interface Walk {
  readonly startedAt: Date;
  readonly after?: CursorPosition | undefined;
}

/**
 * Gives games the new names of linked opponents: the first ones before the response to the rename, the others in small
 * batches afterwards. Every server repeats all of it some seconds later, when no request is left that can add a game with
 * the former name, and so continues where another one stopped.
 */
@Injectable()
export class OpponentRenamer implements OnApplicationShutdown {
  private readonly logger = new Logger('Renames');
  private readonly shutdown = new AbortController();
  /** By team. A lost one is repeated from the beginning. */
  private readonly walks = new LRUCache<string, Walk>({ max: 10_000 });
  private loop: Promise<void> | undefined;

  constructor(
    private readonly teams: TeamsRepository,
    private readonly schedules: SchedulesRepository,
    private readonly clock: Clock,
  ) {
    teams.onRename = ({ organization }, ids) => this.begin({ organization, ...unconditional }, ids);
  }

  start(): void {
    this.loop = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.loop;
  }

  /** Never throws: the rename is stored, so the loop does what fails here. */
  private async begin(scope: OrganizationScope, ids: readonly RecordId[]): Promise<void> {
    const walk = { startedAt: this.clock.now() };
    for (const id of ids) this.walks.set(String(id), walk);
    try {
      const teams = await this.teams.findRenamed(scope, ids.slice(0, teamsAtOnce));
      for (const team of teams) await this.renameGames(scope, team, walk);
    } catch (error) {
      this.onError(error);
    }
  }

  /** Renames the next games of every team that may have some with a former name. Returns whether there are more. */
  async renameNext(): Promise<boolean> {
    let hasMore = false;
    for (const id of await this.teams.findRenaming()) {
      const renaming = this.renameOf({ organization: { id }, ...unconditional });
      hasMore = (await renaming.catch((error: unknown) => this.onError(error))) || hasMore;
    }
    return hasMore;
  }

  private async renameOf(scope: OrganizationScope): Promise<boolean> {
    let hasMore = false;
    for (const team of await this.teams.findRenamed(scope)) {
      if (this.shutdown.signal.aborted) return false;
      // A rename that is not settled is up to its server.
      const walk = this.walks.get(String(team._id)) ?? { startedAt: this.clock.now() };
      if (!this.walks.has(String(team._id)) && !isSettled(walk, team)) continue;
      hasMore = (await this.renameGames(scope, team, walk)) || hasMore;
    }
    return hasMore;
  }

  /** Returns whether there are more games. */
  private async renameGames(scope: OrganizationScope, team: RenamedTeam, walk: Walk): Promise<boolean> {
    const after = await this.schedules.renameOpponents(scope, team, walk.after);
    if (after !== undefined) {
      this.walks.set(String(team._id), { ...walk, after });
      return true;
    }
    this.walks.delete(String(team._id));
    if (isSettled(walk, team)) await this.teams.forgetNames(scope, team._id, settledBefore(walk));
    return false;
  }

  private async run(): Promise<void> {
    const { signal } = this.shutdown;
    while (!signal.aborted) {
      const hasMore = await this.renameNext().catch((error: unknown) => this.onError(error));
      await pause(hasMore ? pauseMilliseconds : pollMilliseconds, signal);
    }
  }

  private onError(error: unknown): false {
    if (!isDatabaseUnavailable(error)) this.logger.warn('Renames failed; retrying', { reason: String(error) });
    return false;
  }
}

/** Renames before this time had reached every request when the walk started. */
const settledBefore = ({ startedAt }: Walk) => new Date(startedAt.getTime() - visibilityDelayMilliseconds);

const isSettled = (walk: Walk, { formerNames: [first] }: RenamedTeam) =>
  first !== undefined && first.at <= settledBefore(walk);
