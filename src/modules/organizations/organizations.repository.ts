import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, PipelineStage, UpdateQuery } from 'mongoose';
import type { Page } from '../../http/paging.js';
import { containing, readPage } from '../../database/list-queries.js';
import { inserting } from '../../database/plugins/operation-options.js';
import { type FieldChanges, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { isOutOfService } from '../users/user.rules.js';
import type { UserRecord } from '../users/user.schema.js';
import type { ListOrganizationsQuery } from './organization.dto.js';
import { OrganizationRecord } from './organization.schema.js';

type WithCreator = Pick<OrganizationRecord, '_id' | 'disabledAt'> & { creator: Pick<UserRecord, 'disabledAt'>[] };

@Injectable()
export class OrganizationsRepository {
  constructor(@InjectModel(OrganizationRecord.name) private readonly model: Model<OrganizationRecord>) {}

  async insert(organization: OrganizationRecord, session: Session): Promise<void> {
    await this.model.insertMany([organization], inserting(session));
  }

  findById(id: string, session?: Session): Promise<OrganizationRecord | null> {
    const query = this.model.findOne({ _id: id }, {}, { session: session ?? null });
    return query.lean().exec();
  }

  findNames(ids: readonly string[]): Promise<Pick<OrganizationRecord, '_id' | 'name' | 'isSandbox'>[]> {
    const query = this.model.find({ _id: { $in: ids } }, { name: 1, isSandbox: 1 }, { sort: { _id: 1 } });
    return query.lean<Pick<OrganizationRecord, '_id' | 'name' | 'isSandbox'>[]>().exec();
  }

  /** Returns those of the organizations, or of all, that are out of service. */
  async findOutOfService(ids?: readonly string[]): Promise<ReadonlySet<string>> {
    const pipeline = [
      { $match: ids === undefined ? {} : { _id: { $in: ids.map(toRecordId) } } },
      // Without a pipeline that projects one field, which would take five times as long.
      { $lookup: { from: 'users', localField: 'creatorId', foreignField: '_id', as: 'creator' } },
      { $project: { disabledAt: 1, 'creator.disabledAt': 1 } },
    ];
    const found = await this.model.aggregate<WithCreator>(pipeline);
    const states = new Map(found.map(({ creator, ...one }) => [String(one._id), isOutOfService(one, creator[0])]));
    return new Set((ids ?? [...states.keys()]).filter((id) => states.get(id) ?? true));
  }

  /** Returns the changed organization, or null if it does not exist. */
  updateById(
    id: string,
    changes: FieldChanges<OrganizationRecord>,
    session: Session,
  ): Promise<OrganizationRecord | null> {
    return this.updateOne({ _id: id }, toUpdate(changes), session);
  }

  /** Starts a reset of a sandbox, in a transaction. Returns false if another one is running. */
  async startReset(id: string, now: Date, until: Date, session: Session): Promise<boolean> {
    const filter = { _id: toRecordId(id), isSandbox: true, resetUntil: { $not: { $gt: now } } };
    const update = { $set: { resetUntil: until }, $inc: { resets: 1 } };
    return (await this.updateOne(filter, update, session)) !== null;
  }

  async endReset(id: string): Promise<void> {
    const update = { $unset: { resetUntil: 1 }, $inc: { resets: 1 } };
    await this.updateOne({ _id: id }, update);
  }

  /** Marks an organization with the time of the database, which the change feed has as well. */
  startErasure(id: string, session: Session): Promise<OrganizationRecord | null> {
    return this.updateOne({ _id: id }, [{ $set: { erasingSince: '$$NOW' } }], session);
  }

  /** Stores how many records an erasure will delete, unless another server has done so. */
  async setErasureTotal(_id: RecordId, total: number): Promise<void> {
    await this.updateOne({ _id, erasure: { $exists: false } }, { $set: { erasure: { done: 0, total } } });
  }

  /** Counts records that an erasure has deleted. */
  async countErased(_id: RecordId, deleted: number): Promise<void> {
    await this.updateOne({ _id, erasure: { $exists: true } }, { $inc: { 'erasure.done': deleted } });
  }

  /** Returns the organizations that are being erased, in the order in which that began. */
  findErasing(): Promise<OrganizationRecord[]> {
    const query = this.model.find({ erasingSince: { $gte: new Date(0) } }, {}, { sort: { erasingSince: 1 } });
    return query.lean().exec();
  }

  /** Deletes an organization of which nothing else is left. */
  async remove(_id: RecordId): Promise<void> {
    await this.model.deleteOne({ _id });
  }

  /** Returns a page of the organizations whose name contains `search`, or of all, in order of creation. */
  findPage({ search, ...page }: ListOrganizationsQuery): Promise<Page<OrganizationRecord>> {
    return readPage(this.model, search === undefined ? {} : { name: containing(search) }, {}, page);
  }

  private updateOne(filter: object, update: UpdateQuery<OrganizationRecord> | PipelineStage[], session?: Session) {
    const options = {
      session: session ?? null,
      returnDocument: 'after',
      updatePipeline: Array.isArray(update),
    } as const;
    return this.model.findOneAndUpdate(filter, update, options).lean().exec();
  }
}
