import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, Model } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import { toRecordId } from '../../database/record.js';
import { usableBy, visibleTo } from '../seasons/seasons.repository.js';
import { latestValues, type Values, valuesOfFields } from './history.rules.js';
import { changesOfRecord, type HistoryKind, historySources, maxEarlier, RecordChange } from './history.schema.js';

const hint = { _id: 1 } as const;

/** A record, and for a player also the team. */
export interface HistoryRecord {
  readonly kind: HistoryKind;
  readonly id: string;
  readonly teamId?: string;
}

/** Reads the changes of records that the organization has, or that are shared. */
@Injectable()
export class HistoryRepository {
  private readonly model: Model<RecordChange>;

  constructor(@InjectConnection() private readonly connection: Connection) {
    this.model = connection.model<RecordChange>(RecordChange.name);
  }

  /** Returns whether the organization can read a record, deleted or not. */
  async exists(tenant: Tenant, { kind, id, teamId }: HistoryRecord): Promise<boolean> {
    const filter = {
      _id: toRecordId(id),
      ...usableBy(tenant, kind),
      ...(teamId !== undefined && { teamId: toRecordId(teamId) }),
    };
    const records = this.connection.model(historySources[kind].model);
    return (await records.findOne(filter, { _id: 1 }, { withDeleted: true, hint }).lean()) !== null;
  }

  /** Returns the latest changes of a record before a revision, newest first. */
  findNewest(
    tenant: Tenant,
    { kind, id }: HistoryRecord,
    limit: number,
    before?: number,
    fields: object = {},
  ): Promise<RecordChange[]> {
    const filter = { ...visibleTo(tenant), _id: changesOfRecord(kind, id, before) };
    const query = this.model.find(filter, fields, { sort: { _id: -1 }, limit, hint });
    return query.lean<RecordChange[]>().exec();
  }

  /** Returns the values that a record had before a revision: see `latestValues`. */
  async findValues(tenant: Tenant, record: HistoryRecord, before: number, fields: readonly string[]): Promise<Values> {
    if (fields.length === 0) return {};
    const changes = await this.findNewest(tenant, record, maxEarlier, before, valuesOfFields(fields));
    return latestValues(changes, before, fields);
  }
}
