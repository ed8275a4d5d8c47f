import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page } from '../../common/http/paging.js';
import { findOneAndUpdateRecord, findOneRecord, insertRecord } from '../../database/operations.js';
import { queryTimeLimit, readPage } from '../../database/list-queries.js';
import { type FieldChanges, toRecordId, toUpdate } from '../../database/record.js';
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
    return findOneRecord(this.model, { _id: toRecordId(id) }, { projection: {}, maxTimeMS: queryTimeLimit, session });
  }

  /** Returns the changed organization, or null if there is none. */
  updateById(
    id: string,
    changes: FieldChanges<OrganizationRecord>,
    session: Session,
  ): Promise<OrganizationRecord | null> {
    return findOneAndUpdateRecord(this.model, { _id: toRecordId(id) }, toUpdate(changes), { projection: {}, session });
  }

  /** Returns a page of the organizations whose name contains `search`, or of all, in order of creation. */
  findPage({ search, ...page }: ListOrganizationsQuery): Promise<Page<OrganizationRecord>> {
    const pattern = search?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return readPage(this.model, pattern === undefined ? {} : { name: { $regex: pattern, $options: 'i' } }, {}, page);
  }
}
