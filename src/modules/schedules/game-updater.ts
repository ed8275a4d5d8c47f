import { Injectable, Logger } from '@nestjs/common';
import { Clock, pause } from '../../config/clock.js';
import { writesVisible } from '../../config/time-windows.js';
import { type Tenant, unconditional } from '../../access/request-context.js';
import { BackgroundLoop } from '../../database/background-loop.js';
import type { CursorPosition } from '../../database/list-queries.js';
import { changesOf, type RecordId } from '../../database/record.js';
import { type ChangedTeam, TeamsRepository } from '../teams/teams.repository.js';
import { toTeamRef } from '../teams/teams.service.js';
import { renameTeams } from './schedule.rules.js';
import { SchedulesRepository } from './schedules.repository.js';

const pollMilliseconds = 3_000;
/** Between two batches, in which requests have the database for themselves. */
const pauseMilliseconds = 50;
/** Of one request, so many teams have their first games renamed before the response. */
const teamsAtOnce = 10;

/**
 * Gives games that had not ended then the new names of their teams, in the name of the linked opponent and in generated
 * titles, and games that had not started the new season: the first ones before the response to the change, the others in
 * small batches afterwards. Every server repeats this until no request is left that can add a game with a former name or
 * season, so a change continues when a server stops.
 */
@Injectable()
export class GameUpdater extends BackgroundLoop {
  constructor(
    private readonly teams: TeamsRepository,
    private readonly schedules: SchedulesRepository,
    private readonly clock: Clock,
  ) {
    super(new Logger('Games'), 'Games could not follow their teams; retrying', pollMilliseconds);
    // An error does not fail the request: the rename is stored, and is repeated.
    teams.onRename = (tenant, ids) => this.updateFirst(tenant, ids).catch((error: unknown) => this.onError(error));
  }

  private async updateFirst({ organization }: Tenant, teamIds: readonly RecordId[]): Promise<void> {
    const tenant = { organization, ...unconditional };
    const teams = await this.teams.findRenamed(tenant, teamIds.slice(0, teamsAtOnce));
    for (const team of teams) await this.updateNext(tenant, team);
  }

  /** Updates the games of all teams that may have some with a former name or season. */
  async work(): Promise<void> {
    for (const id of await this.teams.findRenaming()) {
      const tenant = { organization: { id }, ...unconditional };
      for (const { _id } of await this.teams.findRenamed(tenant))
        await this.updateGames(tenant, _id).catch((error: unknown) => this.onError(error));
    }
  }

  private async updateGames(tenant: Tenant, teamId: RecordId): Promise<void> {
    const settled = new Date(this.clock.now().getTime() - writesVisible);
    let after: CursorPosition | undefined;
    do {
      this.signal.throwIfAborted();
      // Again for each batch, because the team can have changed once more.
      const [team] = await this.teams.findRenamed(tenant, [teamId]);
      after = team && (await this.updateNext(tenant, team, after));
      if (after !== undefined) await pause(pauseMilliseconds, this.signal);
    } while (after !== undefined);
    await this.teams.forgetNames(tenant, teamId, settled);
  }

  /** Updates the next games of a team. Returns where to continue, or undefined after the last. */
  private async updateNext(
    tenant: Tenant,
    team: ChangedTeam,
    after?: CursorPosition,
  ): Promise<CursorPosition | undefined> {
    const [first] = team.formerNames;
    if (first === undefined) return undefined;
    const { data, end } = await this.schedules.findNext(tenant, team._id, after);
    const games = data.filter(({ endDate }) => endDate > first.at);
    const owners = await this.teams.findNames(tenant, [...new Set(games.map((game) => String(game.teamOneId)))]);
    const teams = new Map([...owners, team].map((each) => [String(each._id), toTeamRef(each)]));
    const version = { updatedAt: this.clock.now(), changedBy: team.formerNames.at(-1)?.changedBy };
    const writes = games.flatMap((before) => {
      const { _id: id, revision, teamOneId, teamTwoId, startDate } = before;
      const owner = teams.get(String(teamOneId));
      const opponent = teamTwoId?.equals(team._id) === true ? toTeamRef(team) : undefined;
      const followed = { ...renameTeams(before, owner, opponent), season: owner?.seasonAt(startDate) };
      const changes = changesOf(before, followed);
      if (Object.keys(changes).length === 0) return [];
      return { id, revision, changes: { ...changes, ...version } };
    });
    const rejected = await this.schedules.writeAll(tenant, writes);
    // Another request has changed some of these games since.
    return rejected.size > 0 ? this.updateNext(tenant, team, after) : end;
  }
}
