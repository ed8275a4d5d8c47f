import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page, PageQuery } from '../../common/http/paging.js';
import { findOneAndUpdateRecord, findOneRecord, insertRecord } from '../../database/operations.js';
import { queryTimeLimit, readPage } from '../../database/list-queries.js';
import { type FieldChanges, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
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

  findPage({ page, limit }: PageQuery): Promise<Page<OrganizationRecord>> {
    return readPage(this.model, {}, {}, { page, limit });
  }
}
