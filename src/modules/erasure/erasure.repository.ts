import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, PipelineStage } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import { containing, paged } from '../../database/list-queries.js';
import { type OrganizationRecord, type RecordId, toRecordId } from '../../database/record.js';
import type { Page } from '../../http/paging.js';
import { ApiKeyRecord } from '../api-keys/api-key.schema.js';
import { auditActions, AuditEventRecord, targetKindOf } from '../audit/audit-event.schema.js';
import { CalendarLinkRecord } from '../calendars/calendar-link.schema.js';
import { Change } from '../changes/change.schema.js';
import { changesOfRecord, RecordChange } from '../history/history.schema.js';
import { FailedRequestRecord } from '../usage/failed-request.schema.js';
import { PlayerRecord } from '../players/player.schema.js';
import { ScheduleRecord } from '../schedules/schedule.schema.js';
import { SeasonRecord } from '../seasons/season.schema.js';
import { PlayerStatisticsRecord } from '../statistics/player-statistics.schema.js';
import { TeamRecord } from '../teams/team.schema.js';
import { RequestCount } from '../usage/request-count.schema.js';
import { UserRecord } from '../users/user.schema.js';
import { WebhookDeliveryRecord } from '../webhooks/webhook-delivery.schema.js';
import { WebhookEndpointRecord } from '../webhooks/webhook-endpoint.schema.js';
import type { Mention, Mentions, PlayerExport } from './erasure.dto.js';

type OnDeleted = (deleted: number) => Promise<void>;
type Owned = Pick<OrganizationRecord, '_id' | 'organizationId'>;

const batchSize = 1_000;
const maxMentions = 20;
const erasedUser = 'Erased user';
const erasedText = 'Erased';

/** What a reset of a sandbox deletes. History and change feed come last, as the records before them can still be changed. */
export const resetModels = [
  ...[CalendarLinkRecord, PlayerStatisticsRecord, ScheduleRecord, PlayerRecord, TeamRecord, SeasonRecord],
  ...[WebhookDeliveryRecord, RecordChange, Change],
].map(({ name }) => name);

/**
 * What an erasure deletes: everything but the organization itself and its audit events. The history also comes first:
 * otherwise the change stream deletes and does not count it, and the progress never reaches its total.
 */
export const erasedModels = [
  ...[WebhookEndpointRecord.name, ApiKeyRecord.name, RecordChange.name, ...resetModels],
  ...[RequestCount.name, FailedRequestRecord.name, UserRecord.name],
];

/** Free texts of an organization, which can have the name of a player. */
const freeTexts = [
  ['team', TeamRecord.name, ['name']],
  ['schedule', ScheduleRecord.name, ['eventTitle', 'teamTwoName', 'locationName', 'practiceNote']],
] as const;

const playerActions = auditActions.filter((action) => targetKindOf[action] === 'player');

/**
 * Where audit events have names and emails of an organization's users, and what people wrote about calendar links and
 * webhooks. The emails of super admins stay.
 */
const personalTexts = [
  ['actor.email', erasedUser, { 'actor.role': { $ne: 'superAdmin' } }],
  ...['target.name', 'changes.name', 'changes.email', 'previous.name', 'previous.email'].map(
    (path) => [path, erasedUser, { 'target.kind': 'user' }] as const,
  ),
  ...['changes.description', 'previous.description'].map((path) => [path, erasedText, {}] as const),
] as const;

/** Deletes the records of an organization, and reads those of a player. */
@Injectable()
export class ErasureRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Returns how many records of these models an organization has. */
  async count({ organization }: Tenant, models: readonly string[]): Promise<number> {
    const filter = { organizationId: toRecordId(organization.id) };
    let total = 0;
    for (const name of new Set(models))
      total += await this.connection.model(name).countDocuments(filter, { withDeleted: true });
    return total;
  }

  /**
   * Deletes all records of these models in batches, so that a repetition continues where an interruption ended.
   * @param onDeleted called after each batch with its size
   */
  async deleteAll(tenant: Tenant, models: readonly string[], onDeleted?: OnDeleted): Promise<void> {
    const filter = { organizationId: toRecordId(tenant.organization.id) };
    for (const name of models) {
      const model = this.connection.model<Owned>(name);
      for (let isDone = false; !isDone;) {
        await tenant.assertMayWrite();
        const found = await model.find(filter, { _id: 1 }, { limit: batchSize, withDeleted: true }).lean();
        if (found.length > 0) {
          const { deletedCount } = await model.deleteMany({ ...filter, _id: { $in: found.map(({ _id }) => _id) } });
          await onDeleted?.(deletedCount);
        }
        isDone = found.length < batchSize;
      }
    }
  }

  /**
   * Replaces personal texts of the organization in audit events in batches, so that a repetition continues.
   * @throws MongoServerError 13 if the database user may not update them
   */
  async anonymizeEvents(tenant: Tenant): Promise<void> {
    const events = this.connection.model(AuditEventRecord.name);
    const organizationId = toRecordId(tenant.organization.id);
    for (const [path, replacement, condition] of personalTexts) {
      const filter = { organizationId, ...condition, [path]: { $type: 'string', $ne: replacement } };
      for (let isDone = false; !isDone;) {
        await tenant.assertMayWrite();
        const found = await events.find(filter, { _id: 1 }, { limit: batchSize }).lean<{ _id: RecordId }[]>();
        const those = { _id: { $in: found.map(({ _id }) => _id) }, organizationId };
        // A pipeline, because the fields are immutable.
        const update = [{ $set: { [path]: { $literal: replacement } } }];
        if (found.length > 0) await events.updateMany(those, update, { updatePipeline: true });
        isDone = found.length < batchSize;
      }
    }
  }

  /** Returns everything that is stored about a player. */
  async findPlayer({ organization }: Pick<Tenant, 'organization'>, id: string): Promise<PlayerExport> {
    const organizationId = toRecordId(organization.id);
    const playerId = toRecordId(id);
    const record = `player.${id}`;
    const [[player], statistics, [change], history, deliveries, auditEvents] = await Promise.all([
      this.findAll(PlayerRecord.name, { _id: playerId, organizationId }),
      this.findAll(PlayerStatisticsRecord.name, { organizationId, playerId }),
      this.findAll(Change.name, { _id: record, organizationId }),
      this.findAll(RecordChange.name, { organizationId, _id: changesOfRecord('player', id) }),
      this.findAll(WebhookDeliveryRecord.name, { organizationId, record }),
      this.findAll(AuditEventRecord.name, { action: { $in: playerActions }, 'target._id': playerId }),
    ]);
    return { player, statistics, change, history, deliveries, auditEvents };
  }

  /** Deletes the history of a player. The change stream deletes what another server adds to it meanwhile. */
  async deleteHistory({ organization }: Pick<Tenant, 'organization'>, id: string): Promise<void> {
    const filter = { organizationId: toRecordId(organization.id), _id: changesOfRecord('player', id) };
    await this.connection.model<RecordChange>(RecordChange.name).deleteMany(filter, { hint: { _id: 1 } });
  }

  /** Returns which free texts of an organization contain a name, ignoring case, also those of deleted records. */
  async findMentions({ organization }: Pick<Tenant, 'organization'>, name: string): Promise<Mentions> {
    const organizationId = toRecordId(organization.id);
    const text = containing(name);
    const read = async ([kind, model, fields]: (typeof freeTexts)[number]) => {
      const texts = { $objectToArray: Object.fromEntries(fields.map((field) => [field, `$${field}`])) };
      const pipeline = [
        { $match: { organizationId, $or: fields.map((field) => ({ [field]: text })) } },
        { $project: { texts } },
        { $unwind: '$texts' },
        { $match: { 'texts.v': text } },
        ...paged([
          { $limit: maxMentions },
          { $project: { _id: 0, kind, id: { $toString: '$_id' }, field: '$texts.k' } },
        ]),
      ] as PipelineStage[];
      const found = await this.connection.model(model).aggregate<Page<Mention>>(pipeline);
      return found[0] ?? { data: [], total: 0 };
    };
    const pages = await Promise.all(freeTexts.map(read));
    const total = pages.reduce((sum, page) => sum + page.total, 0);
    return { data: pages.flatMap(({ data }) => data).slice(0, maxMentions), total };
  }

  private findAll(model: string, filter: object): Promise<object[]> {
    const options = { allTenants: model === AuditEventRecord.name, withDeleted: true };
    return this.connection.model(model).find(filter, {}, options).lean<object[]>().exec();
  }
}
