import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { offsetOf, type Page, type PageQuery } from '../common/http/paging.js';
import { insertRecord } from '../database/insert-record.js';
import { creationOrder, queryTimeLimit } from '../database/organization.repository.js';
import { toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import { organizationModel, type OrganizationRecord } from './organization.schema.js';

@Injectable()
export class OrganizationsRepository {
  constructor(@InjectModel(organizationModel) private readonly model: Model<OrganizationRecord>) {}

  insert(organization: OrganizationRecord, session: Session): Promise<void> {
    return insertRecord(this.model, organization, session);
  }

  async exists(id: string): Promise<boolean> {
    return (
      (await this.model
        .exists({ _id: toRecordId(id) })
        .maxTimeMS(queryTimeLimit)
        .exec()) !== null
    );
  }

  async findPage(page: PageQuery): Promise<Page<OrganizationRecord>> {
    const list = this.model.find({}).sort(creationOrder).skip(offsetOf(page)).limit(page.limit);
    const [data, total] = await Promise.all([
      list.maxTimeMS(queryTimeLimit).lean<OrganizationRecord[]>().exec(),
      // Without the hint the count of everything would read every document.
      this.model.countDocuments({}).hint({ _id: 1 }).maxTimeMS(queryTimeLimit).exec(),
    ]);
    return { data, total };
  }
}
