import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import { deleteRecords } from '../../database/operations.js';
import { toRecordId } from '../../database/record.js';
import { calendarLinkModel } from '../calendars/calendar-link.schema.js';
import { changeModel } from '../changes/change.schema.js';
import { playerModel } from '../players/player.schema.js';
import { scheduleModel } from '../schedules/schedule.schema.js';
import { seasonModel } from '../seasons/season.schema.js';
import { playerStatisticsModel } from '../statistics/player-statistics.schema.js';
import { teamModel } from '../teams/team.schema.js';
import { webhookDeliveryModel } from '../webhooks/webhook-delivery.schema.js';

const batchSize = 1_000;

/** What a reset deletes. The rows of the change feed come last, as the records before them can still be changed. */
export const resetModels = [
  ...[calendarLinkModel, playerStatisticsModel, scheduleModel, playerModel, teamModel, seasonModel],
  ...[webhookDeliveryModel, changeModel],
];

/** Deletes the records of a sandbox. */
@Injectable()
export class SandboxRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Deletes all records of an organization in batches, so that a repetition continues where an interruption ended. */
  async deleteAll(scope: OrganizationScope): Promise<void> {
    const filter = { organizationId: toRecordId(scope.organization.id) };
    for (const name of resetModels) await this.deleteMatching(scope, name, filter);
  }

  /** Deletes what requests have added during a reset to teams that they had found before. */
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
