import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { RequestContext } from '../../access/request-context.js';
import { toRecordId } from '../../database/record.js';
import { unlessServiceError } from '../../errors/service-error.js';
import { PlayersService } from '../players/players.service.js';
import { CreateSchedule } from '../schedules/schedule.dto.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { SeasonsService } from '../seasons/seasons.service.js';
import { PlayerStatisticsService } from '../statistics/player-statistics.service.js';
import { CreateTeam } from '../teams/team.dto.js';
import { TeamsService } from '../teams/teams.service.js';
import file from './demo-league.json' with { type: 'json' };

export interface DemoSchedule {
  readonly minutesFromNow: number;
  /** Set for the one game that every start moves to now. */
  readonly isLive?: boolean;
  /** The body of `POST /schedules` without `startDate`; `teamId` and `teamTwoId` contain team names. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The rows of the game's statistics; `player` is the team's name and the jersey number, such as `Bay Hawks 12`. */
  readonly statistics?: readonly { readonly player: string; readonly category: string; readonly stats: object }[];
}

/** IDs by the names in `demo-league.json`. */
type IdsByName = ReadonlyMap<unknown, string>;

const minute = 60_000;
const day = 24 * 60 * minute;
const wholePage = { page: 1, limit: 100 };

/** Request bodies with names instead of IDs, and times relative to now. */
export const demoLeague = { ...file, schedules: file.schedules as readonly DemoSchedule[] };

/** Creates the demo league through the services, so that it follows every rule. */
@Injectable()
export class DemoLeague {
  constructor(
    private readonly seasons: SeasonsService,
    private readonly teams: TeamsService,
    private readonly players: PlayersService,
    private readonly schedules: SchedulesService,
    private readonly statistics: PlayerStatisticsService,
    private readonly clock: Clock,
  ) {}

  /** Fills a new organization with the league, shifted to now, except for the live game. */
  async create(context: RequestContext): Promise<void> {
    const { name, startsInDays, endsInDays } = demoLeague.season;
    const [startDate, endDate] = [this.midnight(startsInDays), this.midnight(endsInDays)];
    const input = { name, startDate, endDate, organizationId: context.organization.id };
    const season = await this.seasons.create({ system: 'server', assertMayWrite: context.assertMayWrite }, input);
    for (const { players, ...named } of demoLeague.teams) {
      const body = Object.assign(new CreateTeam(), { ...named, season: season._id, ageGroup: 'adult' });
      const team = await this.teams.create(context, body);
      const teamId = toRecordId(team._id);
      await Promise.all(players.map((player) => this.players.create(context, { ...player, teamId })));
    }
    const ids = await this.idsByName(context);
    const schedules = demoLeague.schedules.filter(({ isLive }) => !isLive);
    await Promise.all(schedules.map((schedule) => this.createSchedule(context, schedule, ids)));
  }

  /**
   * Moves the live game to now, which keeps its statistics and the number of games. Creates it if it is missing.
   * @returns the id of the live game
   */
  async renewLiveGame(context: RequestContext, id: string | undefined): Promise<string> {
    const live = demoLeague.schedules.find(({ isLive }) => isLive);
    if (live === undefined) throw new Error('demo-league.json has no live game');
    const game = id === undefined ? undefined : await this.schedules.get(context, id).catch(unlessServiceError);
    if (game === undefined) return this.createSchedule(context, live, await this.idsByName(context));
    const startDate = this.timeOf(live);
    const endDate = new Date(startDate.getTime() + game.duration * minute);
    const change = { teamId: game.teamId, startDate, endDate, status: 'scheduled', forfeitedBy: null } as const;
    return (await this.schedules.update(context, game._id, change))._id;
  }

  private async createSchedule(context: RequestContext, schedule: DemoSchedule, ids: IdsByName): Promise<string> {
    const { teamId, teamTwoId } = schedule.body;
    const body = Object.assign(new CreateSchedule(), {
      ...schedule.body,
      startDate: this.timeOf(schedule),
      teamId: ids.get(teamId),
      ...(teamTwoId !== undefined && { teamTwoId: ids.get(teamTwoId) }),
    } as Partial<CreateSchedule>);
    const { _id } = await this.schedules.create(context, body);
    // A deleted player gets no row.
    const rows = schedule.statistics?.flatMap(({ player, ...row }) => {
      const playerId = ids.get(player);
      return playerId === undefined ? [] : [{ playerId, ...row }];
    });
    if (rows !== undefined) {
      const server = { system: 'server', assertMayWrite: context.assertMayWrite } as const;
      await this.statistics.replace(server, _id, rows);
    }
    return _id;
  }

  private async idsByName(context: RequestContext): Promise<IdsByName> {
    const ids = new Map<unknown, string>();
    for (const team of (await this.teams.list(context, wholePage)).data) {
      ids.set(team.name, team._id);
      const { data: players } = await this.players.list(context, team._id, wholePage);
      for (const player of players) ids.set(`${team.name} ${player.jerseyNumber ?? ''}`, player._id);
    }
    return ids;
  }

  private midnight(daysFromNow: number): Date {
    return new Date((Math.floor(this.clock.now().getTime() / day) + daysFromNow) * day);
  }

  /** Adds the offset to the current time, rounded down to 5 minutes. */
  private timeOf({ minutesFromNow }: DemoSchedule): Date {
    const step = 5 * minute;
    return new Date(Math.floor(this.clock.now().getTime() / step) * step + minutesFromNow * minute);
  }
}
