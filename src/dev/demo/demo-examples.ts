import type { INestApplicationContext } from '@nestjs/common';
import type { RequestContext } from '../../access/request-context.js';
import { unlessServiceError } from '../../errors/service-error.js';
import { exampleToken } from '../../modules/calendars/calendar.dto.js';
import { CalendarsService } from '../../modules/calendars/calendars.service.js';
import { PlayersService } from '../../modules/players/players.service.js';
import { SchedulesService } from '../../modules/schedules/schedules.service.js';
import { TeamsService } from '../../modules/teams/teams.service.js';
import { WebhookDeliveriesService } from '../../modules/webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../modules/webhooks/webhooks.service.js';

const wholePage = { page: 1, limit: 100 };
const firstRecord = { page: 1, limit: 1 };
/** Finds the records with the external ID that the OpenAPI documents have as an example. */
const withExternalId = { ...firstRecord, externalId: 'erp-4711' };

/** Finds records of the demo league for the examples in the API reference, and creates what the league does not have. */
export class DemoExamples {
  private readonly teams = this.app.get(TeamsService);
  private readonly players = this.app.get(PlayersService);
  private readonly schedules = this.app.get(SchedulesService);
  private readonly webhooks = this.app.get(WebhooksService);
  private readonly deliveries = this.app.get(WebhookDeliveriesService);
  private readonly calendars = this.app.get(CalendarsService);

  constructor(private readonly app: INestApplicationContext) {}

  /**
   * Returns the IDs of demo records by the IDs that the OpenAPI documents have as examples, so that the API reference can
   * send its requests unedited. The game is a past one, so that requests that change it leave the live game as it is.
   */
  async find(context: RequestContext): Promise<Record<string, string>> {
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

  /** Creates an endpoint and a delivery if there are none. The host does not exist, so the events are not received. */
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
}
