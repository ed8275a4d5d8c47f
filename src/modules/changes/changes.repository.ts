import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { OrganizationScope } from '../../common/context/request-context.js';
import { queryTimeLimit } from '../../database/list-queries.js';
import { findRecords } from '../../database/operations.js';
import { toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { visibleTo } from '../seasons/seasons.repository.js';
import {
  type Change,
  type ChangeKind,
  changeModel,
  type ChangeSource,
  changeSources,
  type Checkpoint,
  checkpointId,
  clusterTimeOf,
  recordIdOf,
  type RecordResponse,
} from './change.schema.js';

/** A part of the feed: after a position, up to and including the last one. */
interface ChangeRange {
  readonly kinds: readonly ChangeKind[];
  readonly after: string;
  readonly last: string;
  readonly limit: number;
}

/** The current state of a record. */
export interface FoundRecord {
  readonly response: RecordResponse;
  readonly isDeleted: boolean;
}

interface StoredRecord {
  readonly _id: unknown;
  readonly deletedAt?: Date | null;
}

const common = { maxTimeMS: queryTimeLimit, readConcern: 'majority' } as const;

/** Reads the change feed of an organization, with shared seasons, within a causally consistent session. */
@Injectable()
export class ChangesRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Runs reads of which each sees at least what the previous one saw, and nothing that a failover can roll back.
   * @param position the first one sees all changes up to it
   */
  readCausally<T>(work: (session: Session) => Promise<T>, position?: string): Promise<T> {
    return this.connection.withSession((session) => {
      if (position !== undefined) session.advanceOperationTime(clusterTimeOf(position));
      return work(session);
    });
  }

  /** Returns the position up to which the feed is complete, or null before it is built. */
  async findEnd(session: Session): Promise<string | null> {
    const options = { ...common, projection: { position: 1 }, sort: {}, limit: 1, session };
    const [end] = await findRecords<Checkpoint>(this.connection.model(changeModel), { _id: checkpointId }, options);
    return end?.position ?? null;
  }

  /** Returns rows in order. */
  findRange(scope: OrganizationScope, range: ChangeRange, session: Session): Promise<Change[]> {
    const { kinds, after, last, limit } = range;
    const filter = { ...visibleTo(scope), kind: { $in: kinds }, position: { $gt: after, $lte: last } };
    const options = { ...common, projection: {}, sort: { position: 1 }, limit, session } as const;
    return findRecords<Change>(this.connection.model(changeModel), filter, options);
  }

  /**
   * Returns the current records of rows that belong to one of the organizations, and shared seasons; also deleted records. The
   * key is the ID of the row. Sends one query for each kind.
   */
  async findRecords(
    organizationIds: readonly string[],
    rows: readonly Pick<Change, '_id' | 'kind'>[],
    session?: Session,
  ): Promise<Map<string, FoundRecord>> {
    // All fields that a kind's response can have; the first response to an idem-key is large.
    const options = { ...common, projection: { idempotency: 0 }, sort: { _id: 1 }, session } as const;
    const find = async ({ kind, model, toResponse }: ChangeSource) => {
      const ids = rows.filter((row) => row.kind === kind).map((row) => toRecordId(recordIdOf(row)));
      if (ids.length === 0) return [];
      const owners = [...organizationIds.map(toRecordId), ...(kind === 'season' ? [null] : [])];
      const filter = { organizationId: { $in: owners }, _id: { $in: ids } };
      const found = await findRecords<StoredRecord>(this.connection.model(model), filter, options);
      return found.map((record): [string, FoundRecord] => {
        const isDeleted = (record.deletedAt ?? null) !== null;
        return [`${kind}.${String(record._id)}`, { response: toResponse(record as never), isDeleted }];
      });
    };
    return new Map((await Promise.all(changeSources.map(find))).flat());
  }
}
