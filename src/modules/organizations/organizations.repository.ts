import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page } from '../../http/paging.js';
import { aggregateRecords, findOneAndUpdateRecord, findOneRecord, insertRecord } from '../../database/operations.js';
import { readPage } from '../../database/list-queries.js';
import { type FieldChanges, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { ListOrganizationsQuery } from './organization.dto.js';
import { organizationModel, type OrganizationRecord } from './organization.schema.js';

@Injectable()
export class OrganizationsRepository {
  constructor(@InjectModel(organizationModel) private readonly model: Model<OrganizationRecord>) {}

  insert(organization: OrganizationRecord, session: Session): Promise<void> {
    return insertRecord(this.model, organization, session);
  }

  findById(id: string, session?: Session): Promise<OrganizationRecord | null> {
    return findOneRecord(this.model, { _id: toRecordId(id) }, { projection: {}, session });
  }

  /** Returns those of the organizations that are disabled, or whose creator is disabled or missing. */
  async findDisabled(ids: readonly string[]): Promise<RecordId[]> {
    const creator = { from: 'users', localField: 'creatorId', foreignField: '_id', as: 'creator' };
    const pipeline = [
      { $match: { _id: { $in: ids.map(toRecordId) } } },
      { $lookup: { ...creator, pipeline: [{ $project: { disabledAt: 1 } }] } },
      { $match: { $or: [{ disabledAt: { $ne: null } }, { creator: [] }, { 'creator.disabledAt': { $ne: null } }] } },
      { $project: { _id: 1 } },
    ];
    return (await aggregateRecords<{ _id: RecordId }>(this.model, pipeline)).map(({ _id }) => _id);
  }

  /** Returns the changed organization, or null if there is none. */
  updateById(
    id: string,
    changes: FieldChanges<OrganizationRecord>,
    session: Session,
  ): Promise<OrganizationRecord | null> {
    return findOneAndUpdateRecord(this.model, { _id: toRecordId(id) }, toUpdate(changes), { projection: {}, session });
  }

  /** Starts a reset of a sandbox, in a transaction. Returns false if another one is running. */
  async startReset(id: string, now: Date, until: Date, session: Session): Promise<boolean> {
    const filter = { _id: toRecordId(id), isSandbox: true, resetUntil: { $not: { $gt: now } } };
    const update = { $set: { resetUntil: until }, $inc: { resets: 1 } };
    return (await findOneAndUpdateRecord(this.model, filter, update, { projection: { _id: 1 }, session })) !== null;
  }

  async endReset(id: string): Promise<void> {
    const update = { $unset: { resetUntil: 1 }, $inc: { resets: 1 } };
    await findOneAndUpdateRecord(this.model, { _id: toRecordId(id) }, update, { projection: { _id: 1 } });
  }

  /** Returns a page of the organizations whose name contains `search`, or of all, in order of creation. */
  findPage({ search, ...page }: ListOrganizationsQuery): Promise<Page<OrganizationRecord>> {
    const pattern = search?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return readPage(this.model, pattern === undefined ? {} : { name: { $regex: pattern, $options: 'i' } }, {}, page);
  }
}
