import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { AdminRole } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import type { Page, PageQuery } from '../../common/http/paging.js';
import {
  findOneAndUpdateRecord,
  findOneRecord,
  findRecords,
  insertRecord,
  measureOperation,
  UniqueIndexViolation,
  writeTimeLimit,
} from '../../database/operations.js';
import { creationOrder, queryTimeLimit, readPage } from '../../database/list-queries.js';
import { type FieldChanges, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { mostRecentLogins, oldestRecentLogin, type RecentLogin } from './recent-logins.js';
import { userModel, type UserRecord } from './user.schema.js';

/** A user as listed: without the password's hash and the networks of logins. */
export type ListedUser = Omit<UserRecord, 'passwordHash' | 'recentLogins'>;

@Injectable()
export class UsersRepository {
  constructor(@InjectModel(userModel) private readonly model: Model<UserRecord>) {}

  /**
   * Stores a user, as a part of a transaction.
   * @throws ServiceError 40901 where the email is taken
   */
  async insert(user: UserRecord, session: Session): Promise<void> {
    try {
      await insertRecord(this.model, user, session);
    } catch (error) {
      if (!(error instanceof UniqueIndexViolation)) throw error;
      throw new ServiceError(errorCatalogue.alreadyExists, {
        message: 'A user with this email already exists',
        cause: error,
      });
    }
  }

  /** The user who logs in with an email in lower case. */
  findByEmail(email: string): Promise<UserRecord | null> {
    return findOneRecord(this.model, { email }, { projection: {}, maxTimeMS: queryTimeLimit });
  }

  /** A user by id, with a session as a transaction sees them. */
  findById(id: string, session?: Session): Promise<UserRecord | null> {
    return findOneRecord(this.model, { _id: toRecordId(id) }, { projection: {}, maxTimeMS: queryTimeLimit, session });
  }

  findOfOrganization(organizationId: string, { page, limit }: PageQuery): Promise<Page<ListedUser>> {
    const filter = { organizationId: toRecordId(organizationId) };
    return readPage(this.model, filter, { passwordHash: 0, recentLogins: 0 }, { page, limit, order: creationOrder });
  }

  /** Changes a user as a part of a transaction; the changed user, or null where there is none. */
  updateById(id: string, changes: FieldChanges<UserRecord>, session: Session): Promise<UserRecord | null> {
    return findOneAndUpdateRecord(this.model, { _id: toRecordId(id) }, toUpdate(changes), { projection: {}, session });
  }

  /** Stores a user's login as the newest one. Atomic, so that of two logins from two networks at once neither is lost. */
  async addRecentLogin(id: RecordId, { network, at }: RecentLogin): Promise<void> {
    const kept = [{ $ne: ['$$this.network', network] }, { $gte: ['$$this.at', oldestRecentLogin(at)] }];
    const others = { $filter: { input: { $ifNull: ['$recentLogins', []] }, cond: { $and: kept } } };
    const recentLogins = { $slice: [{ $concatArrays: [[{ network, at }], others] }, mostRecentLogins] };
    const update = this.model.updateOne({ _id: id }, [{ $set: { recentLogins } }], { updatePipeline: true });
    await measureOperation('updateOne', () => update.maxTimeMS(writeTimeLimit).exec());
  }

  /** Names and emails of several users. */
  findNames(ids: readonly string[]): Promise<Pick<UserRecord, '_id' | 'name' | 'email'>[]> {
    const filter = { _id: { $in: ids.map(toRecordId) } };
    const options = { projection: { name: 1, email: 1 }, sort: { _id: 1 }, maxTimeMS: queryTimeLimit } as const;
    return findRecords(this.model, filter, options);
  }

  /** The first user who got a role. */
  async findFirstWithRole(role: AdminRole): Promise<UserRecord | null> {
    const options = { projection: {}, sort: { _id: 1 }, limit: 1, maxTimeMS: queryTimeLimit } as const;
    return (await findRecords<UserRecord>(this.model, { role }, options))[0] ?? null;
  }

  async existsWithRole(role: AdminRole): Promise<boolean> {
    return (await findOneRecord(this.model, { role }, { projection: { _id: 1 }, maxTimeMS: queryTimeLimit })) !== null;
  }
}
