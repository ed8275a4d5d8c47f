import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, Model } from 'mongoose';
import type { Tenant } from '../../access/request-context.js';
import { assertOpened } from '../../database/database-error.js';
import { toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { usableBy, visibleTo } from '../seasons/seasons.repository.js';
import {
  Change,
  type ChangeKind,
  type ChangeSource,
  changeSources,
  type Checkpoint,
  checkpointId,
  clusterTimeOf,
  dispatchedId,
  recordIdOf,
  type RecordResponse,
} from './change.schema.js';

/** A part of the feed: after a position, up to and including the last one. */
interface ChangeRange {
  readonly kinds: readonly ChangeKind[];
  /** By which position of a row; the latest one by default. */
  readonly by?: 'position' | 'created';
  readonly after: string;
  readonly last: string;
  readonly limit: number;
}

/** A change of any organization. */
export type LatestChange = Pick<Change, 'organizationId' | 'position'>;

/** The current state of a record. */
export interface FoundRecord {
  readonly response: RecordResponse;
  readonly isDeleted: boolean;
}

const readConcern = 'majority';

/** Reads the change feed of an organization, with shared seasons, within a causally consistent session. */
@Injectable()
export class ChangesRepository {
  private readonly model: Model<Change>;

  constructor(@InjectConnection() private readonly connection: Connection) {
    this.model = connection.model<Change>(Change.name);
  }

  /**
   * Runs reads of which each sees at least what the previous one saw, and nothing that a failover can roll back.
   * @param position the first one sees all changes up to it
   */
  async readCausally<T>(work: (session: Session) => Promise<T>, position?: string): Promise<T> {
    assertOpened(this.connection);
    return this.connection.withSession((session) => {
      if (position !== undefined) session.advanceOperationTime(clusterTimeOf(position));
      return work(session);
    });
  }

  /** Returns the position up to which the feed is complete, or null before it is built. */
  async findEnd(session: Session): Promise<string | null> {
    return (await this.findState(checkpointId, session))?.position ?? null;
  }

  /** Returns how far the feed is complete, or has been dispatched to webhook endpoints, or null. */
  async findState(_id: typeof checkpointId | typeof dispatchedId, session: Session) {
    const options = { readConcern, limit: 1, session, allTenants: true };
    const fields = { position: 1, rebuilt: 1, built: 1 } as const;
    const [state] = await this.model.find({ _id }, fields, options).lean<Checkpoint[]>();
    return state ?? null;
  }

  /** Stores that changes have been dispatched, unless a later position is stored. */
  async saveDispatched(position: string): Promise<void> {
    const update = this.model.updateOne({ _id: dispatchedId }, { $max: { position } }, { upsert: true });
    await update.setOptions({ allTenants: true });
  }

  /** Returns the organizations and positions of rows of all organizations in order, from an index alone. */
  findLatest({ after, last, limit }: Omit<ChangeRange, 'kinds'>, session: Session): Promise<LatestChange[]> {
    const fields = { _id: 0, organizationId: 1, position: 1 } as const;
    const options = { readConcern, sort: { position: 1 }, limit, session, allTenants: true } as const;
    const query = this.model.find({ position: { $gt: after, $lte: last } }, fields, options);
    return query.lean<LatestChange[]>().exec();
  }

  /** Returns rows in order. */
  findRange(tenant: Tenant, range: ChangeRange, session: Session): Promise<Change[]> {
    const { kinds, by = 'position', after, last, limit } = range;
    const filter = { ...visibleTo(tenant), kind: { $in: kinds }, [by]: { $gt: after, $lte: last } };
    // Another index has the same order, but would read the rows of all organizations.
    const hint = by === 'position' ? 'changes_by_position' : 'changes_by_creation';
    const options = { readConcern, sort: { [by]: 1 }, limit, hint, session } as const;
    return this.model.find(filter, {}, options).lean<Change[]>().exec();
  }

  /** Returns the current records of rows, including deleted ones, by the ID of the row. Sends one query for each kind. */
  async findRecords(
    tenant: Tenant,
    rows: readonly Pick<Change, '_id' | 'kind'>[],
    session: Session,
  ): Promise<Map<string, FoundRecord>> {
    // All fields that a kind's response can have; the first response to an idem-key is large.
    const options = { readConcern, sort: { _id: 1 }, session, withDeleted: true } as const;
    const find = async ({ kind, model, toResponse }: ChangeSource) => {
      const ids = rows.filter((row) => row.kind === kind).map((row) => toRecordId(recordIdOf(row)));
      if (ids.length === 0) return [];
      const filter = { ...usableBy(tenant, kind), _id: { $in: ids } };
      const query = this.connection.model(model).find(filter, { idempotency: 0 }, options);
      const found = await query.lean<{ _id: unknown; deletedAt?: Date | null }[]>();
      return found.map((record): [string, FoundRecord] => {
        const isDeleted = (record.deletedAt ?? null) !== null;
        return [`${kind}.${String(record._id)}`, { response: toResponse(record as never), isDeleted }];
      });
    };
    return new Map((await Promise.all(changeSources.map(find))).flat());
  }
}
