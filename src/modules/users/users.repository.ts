import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { AdminRole } from '../../access/request-context.js';
import { errorCatalogue } from '../../errors/error-catalogue.js';
import { ServiceError } from '../../errors/service-error.js';
import type { Page, PageQuery } from '../../http/paging.js';
import { fieldNamesOf } from '../../validation/dto.js';
import {
  findOneAndUpdateRecord,
  findOneRecord,
  findRecords,
  insertRecord,
  UniqueIndexViolation,
  updateUncachedFields,
} from '../../database/operations.js';
import { projectionOf } from '../../database/organization.repository.js';
import { readPage } from '../../database/list-queries.js';
import { type FieldChanges, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { maxRecentLogins, recentLoginsStart } from './user.rules.js';
import { type RecentLogin, User, userModel, UserName, type UserRecord } from './user.schema.js';

const publicFields = projectionOf(fieldNamesOf(User));
const nameFields = projectionOf(fieldNamesOf(UserName));

@Injectable()
export class UsersRepository {
  constructor(@InjectModel(userModel) private readonly model: Model<UserRecord>) {}

  /** @throws ServiceError 40901 if the email is taken */
  async insert(user: UserRecord, session: Session): Promise<void> {
    try {
      await insertRecord(this.model, user, session);
    } catch (error) {
      if (!(error instanceof UniqueIndexViolation)) throw error;
      const message = 'A user with this email already exists';
      throw new ServiceError(errorCatalogue.alreadyExists, { message, cause: error });
    }
  }

  /** Returns the user with an email in lower case. */
  findByEmail(email: string): Promise<UserRecord | null> {
    return findOneRecord(this.model, { email }, { projection: {} });
  }

  findById(id: string, session?: Session): Promise<UserRecord | null> {
    return findOneRecord(this.model, { _id: toRecordId(id) }, { projection: {}, session });
  }

  findOfOrganization(organizationId: string, { page, limit }: PageQuery): Promise<Page<User>> {
    const filter = { organizationId: toRecordId(organizationId) };
    return readPage(this.model, filter, publicFields, { page, limit });
  }

  /** Returns the changed user, or null if there is none. */
  updateById(id: string, changes: FieldChanges<UserRecord>, session: Session): Promise<UserRecord | null> {
    return findOneAndUpdateRecord(this.model, { _id: toRecordId(id) }, toUpdate(changes), { projection: {}, session });
  }

  /** Stores a login as the user's newest, in one atomic update: concurrent logins from two networks are both kept. */
  async addRecentLogin(id: RecordId, { network, at }: RecentLogin): Promise<void> {
    const kept = [{ $ne: ['$$this.network', network] }, { $gte: ['$$this.at', recentLoginsStart(at)] }];
    const others = { $filter: { input: { $ifNull: ['$recentLogins', []] }, cond: { $and: kept } } };
    const recentLogins = { $slice: [{ $concatArrays: [[{ network, at }], others] }, maxRecentLogins] };
    await updateUncachedFields(this.model, [{ filter: { _id: id }, update: [{ $set: { recentLogins } }] }]);
  }

  findNames(ids: readonly string[]): Promise<UserName[]> {
    const options = { projection: nameFields, sort: { _id: 1 } } as const;
    return findRecords(this.model, { _id: { $in: ids.map(toRecordId) } }, options);
  }

  async findFirstWithRole(role: AdminRole): Promise<UserRecord | null> {
    const options = { projection: {}, sort: { _id: 1 }, limit: 1 } as const;
    return (await findRecords<UserRecord>(this.model, { role }, options))[0] ?? null;
  }
}
