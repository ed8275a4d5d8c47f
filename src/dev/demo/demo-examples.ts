import type { INestApplicationContext } from '@nestjs/common';
import type { RequestContext } from '../../access/request-context.js';
import { PlayersService } from '../../modules/players/players.service.js';
import { SchedulesService } from '../../modules/schedules/schedules.service.js';
import { TeamsService } from '../../modules/teams/teams.service.js';
import { WebhooksService } from '../../modules/webhooks/webhooks.service.js';

const firstPage = { page: 1, limit: 1 };
/** Finds the records with the external ID that the OpenAPI documents have as an example. */
const withExternalId = { ...firstPage, externalId: 'erp-4711' };

/**
 * Returns the IDs of demo records by the IDs that the OpenAPI documents have as examples, so that the API reference can
 * send its requests unedited. The game is a past one, so that requests that change it leave the live game as it is.
 */
export async function demoExamples(
  app: INestApplicationContext,
  context: RequestContext,
): Promise<Record<string, string>> {
  const [schedules, players] = [app.get(SchedulesService), app.get(PlayersService)];
  const games = [await schedules.list(context, withExternalId), await schedules.list(context, firstPage)];
  const [game] = games.flatMap(({ data }) => data);
  if (game === undefined) return {};
  const { teamId, teamTwoId } = game;
  const rosters = [await players.list(context, teamId, withExternalId), await players.list(context, teamId, firstPage)];
  const [player] = rosters.flatMap(({ data }) => data);
  return {
    '6650f1f77bcf86cd79943911': context.organization.id,
    '6650f1f77bcf86cd79943931': (await app.get(TeamsService).get(context, teamId)).season,
    '6650f1f77bcf86cd79943941': teamId,
    ...(teamTwoId !== undefined && { '6650f1f77bcf86cd79943942': teamTwoId }),
    ...(player && { '6650f1f77bcf86cd79943951': player._id }),
    '6650f1f77bcf86cd79943961': game._id,
    ...(await webhookExamples(app.get(WebhooksService), context)),
  };
}

/** Creates an endpoint and a delivery if there are none. The host does not exist, so nobody receives the events. */
async function webhookExamples(webhooks: WebhooksService, context: RequestContext): Promise<Record<string, string>> {
  const [existing] = (await webhooks.list(context)).data;
  const { _id, isEnabled } = existing ?? (await webhooks.create(context, { url: 'https://erp.demo.example/webhooks' }));
  const [sent] = (await webhooks.listDeliveries(context, _id, firstPage)).data;
  const delivery = sent ?? (isEnabled ? await webhooks.sendTest(context, _id) : undefined);
  return { '6650f1f77bcf86cd79943991': _id, ...(delivery && { '6650f1f77bcf86cd799439a1': String(delivery._id) }) };
}
