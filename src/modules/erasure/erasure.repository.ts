import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import { deleteRecords } from '../../database/operations.js';
import { toRecordId } from '../../database/record.js';
import { apiKeyModel } from '../api-keys/api-key.schema.js';
import { calendarLinkModel } from '../calendars/calendar-link.schema.js';
import { changeModel } from '../changes/change.schema.js';
import { playerModel } from '../players/player.schema.js';
import { scheduleModel } from '../schedules/schedule.schema.js';
import { seasonModel } from '../seasons/season.schema.js';
import { playerStatisticsModel } from '../statistics/player-statistics.schema.js';
import { teamModel } from '../teams/team.schema.js';
import { requestCountModel } from '../usage/request-count.schema.js';
import { userModel } from '../users/user.schema.js';
import { webhookDeliveryModel } from '../webhooks/webhook-delivery.schema.js';
import { webhookEndpointModel } from '../webhooks/webhook-endpoint.schema.js';

const batchSize = 1_000;

/** What a reset of a sandbox deletes. The rows of the change feed come last, as the records before them can still be changed. */
export const resetModels = [
  ...[calendarLinkModel, playerStatisticsModel, scheduleModel, playerModel, teamModel, seasonModel],
  ...[webhookDeliveryModel, changeModel],
];

/** What an erasure deletes: everything but the organization itself and its audit events. */
export const erasedModels = [webhookEndpointModel, apiKeyModel, ...resetModels, requestCountModel, userModel];

/** Deletes the records of an organization. */
@Injectable()
export class ErasureRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Deletes all records of these models in batches, so that a repetition continues where an interruption ended. */
  async deleteAll(scope: OrganizationScope, models: readonly string[]): Promise<void> {
    const filter = { organizationId: toRecordId(scope.organization.id) };
    for (const name of models) await this.deleteMatching(scope, name, filter);
  }

  /** Deletes what requests have added during a reset of a sandbox to teams that they had found before. */
  async deleteWithoutTeam(scope: OrganizationScope, teamIds: readonly string[]): Promise<void> {
    const organizationId = toRecordId(scope.organization.id);
    const others = { $nin: teamIds.map(toRecordId) };
    await this.deleteMatching(scope, scheduleModel, { organizationId, teamOneId: others });
    await this.deleteMatching(scope, playerModel, { organizationId, teamId: others });
  }

  private async deleteMatching(scope: OrganizationScope, name: string, filter: object): Promise<void> {
    let deleted: number;
    do {
      await scope.assertMayWrite();
      deleted = await deleteRecords(this.connection.model(name), filter, batchSize);
    } while (deleted === batchSize);
  }
}
