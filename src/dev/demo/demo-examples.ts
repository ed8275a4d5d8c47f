import type { INestApplicationContext } from '@nestjs/common';
import type { RequestContext } from '../../common/context/request-context.js';
import { PlayersService } from '../../modules/players/players.service.js';
import { SchedulesService } from '../../modules/schedules/schedules.service.js';
import { TeamsService } from '../../modules/teams/teams.service.js';
import { WebhooksService } from '../../modules/webhooks/webhooks.service.js';

const firstPage = { page: 1, limit: 1 };

/**
 * Returns the IDs of demo records by the IDs that the OpenAPI documents have as examples, so that the API reference can
 * send its requests unedited. Creates a webhook endpoint if there is none; it is disabled, because nobody would receive
 * its events.
 * @param scheduleId the live game
 */
export async function demoExamples(
  app: INestApplicationContext,
  context: RequestContext,
  scheduleId: string,
): Promise<Record<string, string>> {
  const { teamId } = await app.get(SchedulesService).get(context, scheduleId);
  const team = await app.get(TeamsService).get(context, teamId);
  const [player] = (await app.get(PlayersService).list(context, teamId, firstPage)).data;
  return {
    '6650f1f77bcf86cd79943911': context.organization.id,
    '6650f1f77bcf86cd79943931': team.season,
    '6650f1f77bcf86cd79943941': teamId,
    ...(player && { '6650f1f77bcf86cd79943951': player._id }),
    '6650f1f77bcf86cd79943961': scheduleId,
    '6650f1f77bcf86cd79943991': await endpointId(app.get(WebhooksService), context),
  };
}

async function endpointId(webhooks: WebhooksService, context: RequestContext): Promise<string> {
  const [existing] = (await webhooks.list(context)).data;
  if (existing !== undefined) return existing._id;
  const { _id } = await webhooks.create(context, { url: 'https://erp.example.com/webhooks' });
  await webhooks.update(context, _id, { isEnabled: false });
  return _id;
}
