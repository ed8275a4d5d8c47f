import type { INestApplicationContext } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { type RequestContext, unconditional } from '../../access/request-context.js';
import { ServiceError } from '../../errors/service-error.js';
import { withDefaults } from '../../validation/dto.js';
import type { CreatePlayer } from '../../modules/players/player.dto.js';
import { PlayersService } from '../../modules/players/players.service.js';
import { CreateSchedule } from '../../modules/schedules/schedule.dto.js';
import { SchedulesService } from '../../modules/schedules/schedules.service.js';
import { SeasonsService } from '../../modules/seasons/seasons.service.js';
import { PlayerStatisticsService } from '../../modules/statistics/player-statistics.service.js';
import { CreateTeam } from '../../modules/teams/team.dto.js';
import { TeamsService } from '../../modules/teams/teams.service.js';
import { exampleToken } from '../../modules/calendars/calendar.dto.js';
import { CalendarsService } from '../../modules/calendars/calendars.service.js';
import { WebhookDeliveriesService } from '../../modules/webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../modules/webhooks/webhooks.service.js';
import file from './demo-league.json' with { type: 'json' };

/** The contents of `demo-league.json`: request bodies with names instead of IDs, and times relative to now. */
export interface DemoLeagueFile {
  readonly organization: string;
  readonly season: { readonly name: string; readonly startsInDays: number; readonly endsInDays: number };
  readonly teams: readonly (Pick<CreateTeam, 'name' | 'externalId'> & { readonly players: readonly CreatePlayer[] })[];
  readonly schedules: readonly DemoSchedule[];
}

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
const firstRecord = { page: 1, limit: 1 };
/** Finds the records with the external ID that the OpenAPI documents have as an example. */
const withExternalId = { ...firstRecord, externalId: 'erp-4711' };

export const demoLeague: DemoLeagueFile = file;

/** Creates the demo league through the services, so that it follows every rule. */
export class DemoLeague {
  private readonly seasons = this.app.get(SeasonsService);
  private readonly teams = this.app.get(TeamsService);
  private readonly players = this.app.get(PlayersService);
  private readonly schedules = this.app.get(SchedulesService);
  private readonly statistics = this.app.get(PlayerStatisticsService);
  private readonly webhooks = this.app.get(WebhooksService);
  private readonly deliveries = this.app.get(WebhookDeliveriesService);
  private readonly calendars = this.app.get(CalendarsService);
  private readonly clock = this.app.get(Clock);

  constructor(private readonly app: INestApplicationContext) {}

  /** Fills a new organization with the league, shifted to now, except for the live game. */
  async create(context: RequestContext): Promise<void> {
    const { name, startsInDays, endsInDays } = demoLeague.season;
    const [startDate, endDate] = [this.midnight(startsInDays), this.midnight(endsInDays)];
    const input = { name, startDate, endDate, organizationId: context.organization.id };
    const season = await this.seasons.create({ system: 'server', ...unconditional }, input);
    for (const { players, ...named } of demoLeague.teams) {
      const body = withDefaults(CreateTeam, { ...named, season: season._id, ageGroup: 'adult' });
      const team = await this.teams.create(context, body);
      for (const player of players) await this.players.create(context, player, team._id);
    }
    const ids = await this.idsByName(context);
    for (const schedule of demoLeague.schedules) {
      if (!schedule.isLive) await this.createSchedule(context, schedule, ids);
    }
  }

  /**
   * Moves the live game to now, which keeps its statistics and the number of games. Creates it if there is none.
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

  /**
   * Returns the IDs of demo records by the IDs that the OpenAPI documents have as examples, so that the API reference can
   * send its requests unedited. The game is a past one, so that requests that change it leave the live game as it is.
   */
  async examples(context: RequestContext): Promise<Record<string, string>> {
    const { schedules, players } = this;
    const games = [await schedules.list(context, withExternalId), await schedules.list(context, firstRecord)];
    const [game] = games.flatMap(({ data }) => data);
    if (game === undefined) return {};
    const { teamId, teamTwoId } = game;
    const rosters = [
      await players.list(context, teamId, withExternalId),
      await players.list(context, teamId, firstRecord),
    ];
    const [player] = rosters.flatMap(({ data }) => data);
    return {
      '6650f1f77bcf86cd79943911': context.organization.id,
      '6650f1f77bcf86cd79943931': (await this.teams.get(context, teamId)).season,
      '6650f1f77bcf86cd79943941': teamId,
      ...(teamTwoId !== undefined && { '6650f1f77bcf86cd79943942': teamTwoId }),
      ...(player && { '6650f1f77bcf86cd79943951': player._id }),
      '6650f1f77bcf86cd79943961': game._id,
      ...(await this.webhookExamples(context)),
      ...(await this.calendarExamples(context, teamId)),
    };
  }

  /** Creates an endpoint and a delivery if there are none. The host does not exist, so nobody receives the events. */
  private async webhookExamples(context: RequestContext): Promise<Record<string, string>> {
    const { webhooks } = this;
    const [existing] = (await webhooks.list(context)).data;
    const endpoint = existing ?? (await webhooks.create(context, { url: 'https://erp.demo.example/webhooks' }));
    const [sent] = (await this.deliveries.listDeliveries(context, endpoint._id, firstRecord)).data;
    const delivery = sent ?? (endpoint.isEnabled ? await this.deliveries.sendTest(context, endpoint._id) : undefined);
    return {
      '6650f1f77bcf86cd79943991': endpoint._id,
      ...(delivery && { '6650f1f77bcf86cd799439a1': String(delivery._id) }),
    };
  }

  /** Creates a calendar link instead of that of the previous start, of which only the hash of the token is stored. */
  private async calendarExamples(context: RequestContext, teamId: string): Promise<Record<string, string>> {
    const description = 'Demo';
    const { data } = await this.calendars.list(context, teamId, wholePage);
    for (const link of data.filter((each) => each.description === description))
      await this.calendars.remove(context, teamId, link._id);
    const created = await this.calendars.create(context, teamId, { description }).catch(unlessServiceError);
    return created ? { '6650f1f77bcf86cd799439b1': created.link._id, [exampleToken]: created.token } : {};
  }

  private async createSchedule(context: RequestContext, schedule: DemoSchedule, ids: IdsByName): Promise<string> {
    const { teamId, teamTwoId } = schedule.body;
    const body = withDefaults(CreateSchedule, {
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
    if (rows !== undefined) await this.statistics.replace({ system: 'server', ...unconditional }, _id, rows);
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

function unlessServiceError(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}
