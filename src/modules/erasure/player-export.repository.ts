import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { OrganizationScope } from '../../access/request-context.js';
import { findRecords } from '../../database/operations.js';
import { toRecordId } from '../../database/record.js';
import { auditActions, auditEventModel, targetKindOf } from '../audit/audit-event.schema.js';
import { changeModel } from '../changes/change.schema.js';
import { playerModel } from '../players/player.schema.js';
import { playerStatisticsModel } from '../statistics/player-statistics.schema.js';
import { webhookDeliveryModel } from '../webhooks/webhook-delivery.schema.js';
import type { PlayerExport } from './erasure.dto.js';

const actions = auditActions.filter((action) => targetKindOf[action] === 'player');

/** Reads everything that is stored about a player. */
@Injectable()
export class PlayerExportRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  async find(scope: Pick<OrganizationScope, 'organization'>, id: string): Promise<PlayerExport> {
    const organizationId = toRecordId(scope.organization.id);
    const playerId = toRecordId(id);
    const record = `player.${id}`;
    const [[player], statistics, [change], deliveries, auditEvents] = await Promise.all([
      this.findAll(playerModel, { _id: playerId, organizationId }),
      this.findAll(playerStatisticsModel, { organizationId, playerId }),
      this.findAll(changeModel, { _id: record, organizationId }),
      this.findAll(webhookDeliveryModel, { organizationId, record }),
      this.findAll(auditEventModel, { action: { $in: actions }, 'target._id': playerId }),
    ]);
    return { player, statistics, change, deliveries, auditEvents };
  }

  private findAll(model: string, filter: object): Promise<object[]> {
    return findRecords<object>(this.connection.model(model), filter, { projection: {} });
  }
}
