import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { ServiceError } from '../../errors/service-error.js';
import type { Page } from '../../http/paging.js';
import { fieldNamesOf } from '../../validation/dto.js';
import { containing, readPage } from '../../database/list-queries.js';
import { inserting } from '../../database/plugins/operation-options.js';
import { UniqueIndexViolation } from '../../database/plugins/write-errors.js';
import { type FieldChanges, projectionOf, type RecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import type { ListUsersQuery } from './user.dto.js';
import { hashResetToken, maxRecentLogins, recentLoginsStart } from './user.rules.js';
import { type ListedUser, type RecentLogin, type SecondFactor, User, UserName, UserRecord } from './user.schema.js';

const publicFields = projectionOf([...fieldNamesOf(User), 'secondFactor.confirmedAt']);
const nameFields = projectionOf(fieldNamesOf(UserName));
/** Super admins have no organization, and a login names only an email. */
const allTenants = true;

type UserFilters = ListUsersQuery & { readonly organizationId?: string };

@Injectable()
export class UsersRepository {
  constructor(@InjectModel(UserRecord.name) private readonly model: Model<UserRecord>) {}

  async insert(user: UserRecord, session: Session): Promise<void> {
    try {
      await this.model.insertMany([user], inserting(session));
    } catch (error) {
      if (!(error instanceof UniqueIndexViolation)) throw error;
      const message = 'A user with this email already exists';
      throw new ServiceError('alreadyExists', { message, cause: error });
    }
  }

  /** Returns the user with an email in lower case. */
  findByEmail(email: string): Promise<UserRecord | null> {
    return this.findOne({ email });
  }

  /** Returns the user with a token for setting a password, which may have expired. */
  findByResetToken(token: string): Promise<UserRecord | null> {
    return this.findOne({ 'passwordReset.tokenHash': hashResetToken(token) });
  }

  findById(id: string, session?: Session): Promise<UserRecord | null> {
    return this.findOne({ _id: id }, session);
  }

  /** Returns a page of the users that match, in order of creation. `search` is a part of the name or the email. */
  findPage({ search, role, organizationId, ...page }: UserFilters): Promise<Page<ListedUser>> {
    const filter = {
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      ...(role !== undefined && { role }),
      ...(search !== undefined && { $or: ['name', 'email'].map((field) => ({ [field]: containing(search) })) }),
    };
    return readPage(this.model, filter, publicFields, { ...page, allTenants });
  }

  /** Returns the changed user, or null if it does not exist. */
  updateById(id: string, changes: FieldChanges<UserRecord>, session: Session): Promise<UserRecord | null> {
    const options = { session, allTenants, returnDocument: 'after' } as const;
    return this.model.findOneAndUpdate({ _id: id }, toUpdate(changes), options).lean().exec();
  }

  /** Writes the user in the transaction if it is enabled, so that a transaction that disables it conflicts. */
  lockEnabled(id: string, now: Date, session: Session): Promise<boolean> {
    return this.updateIfMatching({ _id: id, disabledAt: null }, { $set: { updatedAt: now } }, session);
  }

  /** Stores a login as the user's newest, in one atomic update: concurrent logins from two networks are both kept. */
  async addRecentLogin(id: RecordId, { network, at }: RecentLogin): Promise<void> {
    const kept = [{ $ne: ['$$this.network', network] }, { $gte: ['$$this.at', recentLoginsStart(at)] }];
    const others = { $filter: { input: { $ifNull: ['$recentLogins', []] }, cond: { $and: kept } } };
    const recentLogins = { $slice: [{ $concatArrays: [[{ network, at }], others] }, maxRecentLogins] };
    const update = this.model.updateOne({ _id: id }, [{ $set: { recentLogins } }], { updatePipeline: true });
    await update.setOptions({ allTenants });
  }

  /** Returns the networks of the logins since a time. */
  async findLoginNetworks(since: Date): Promise<string[]> {
    const filter = { 'recentLogins.at': { $gte: since } };
    const users = await this.model.find(filter, { recentLogins: 1 }, { allTenants }).lean();
    return users.flatMap(({ recentLogins = [] }) => recentLogins.map(({ network }) => network));
  }

  /**
   * Uses up the codes of a time step and of all earlier ones, in one atomic update.
   * @returns false if one of the codes was used before, or the second factor was replaced
   */
  async useCodesUpTo(step: number, { _id, secondFactor }: UserRecord): Promise<boolean> {
    const filter = { _id, 'secondFactor.secret': secondFactor?.secret ?? '', 'secondFactor.lastStep': { $lt: step } };
    return this.updateIfMatching(filter, { $set: { 'secondFactor.lastStep': step } });
  }

  /** Uses up a recovery code, in one atomic update. Returns false if no code has this hash. */
  async useRecoveryCode(codeHash: string, { _id }: UserRecord): Promise<boolean> {
    const codes = { 'secondFactor.recoveryCodes': codeHash };
    return this.updateIfMatching({ _id, ...codes }, { $pull: codes });
  }

  /** Stores the secret of a second factor, encrypted with another key, unless it was replaced concurrently. */
  async updateEncryption(id: RecordId, before: SecondFactor, after: Pick<SecondFactor, 'secret' | 'keyId'>) {
    const update = { $set: { 'secondFactor.secret': after.secret, 'secondFactor.keyId': after.keyId } };
    await this.updateIfMatching({ _id: id, 'secondFactor.secret': before.secret }, update);
  }

  /** Finds the users whose second factor is encrypted with another key. */
  findEncryptedOtherwise(keyId: string): Promise<UserRecord[]> {
    const filter = { 'secondFactor.keyId': { $exists: true, $ne: keyId } };
    return this.model.find(filter, {}, { allTenants }).lean().exec();
  }

  private async updateIfMatching(filter: object, update: object, session?: Session): Promise<boolean> {
    const options = { projection: { _id: 1 }, session: session ?? null, allTenants };
    return (await this.model.findOneAndUpdate(filter, update, options).lean()) !== null;
  }

  findNames(ids: readonly string[]): Promise<UserName[]> {
    const options = { sort: { _id: 1 }, allTenants } as const;
    const query = this.model.find({ _id: { $in: ids } }, nameFields, options);
    return query.lean<UserName[]>().exec();
  }

  /** Returns the first super admin, or null. */
  findSuperAdmin(): Promise<UserRecord | null> {
    const options = { sort: { createdAt: 1, _id: 1 }, allTenants } as const;
    return this.model.findOne({ role: 'superAdmin' }, {}, options).lean().exec();
  }

  private findOne(filter: object, session?: Session): Promise<UserRecord | null> {
    const query = this.model.findOne(filter, {}, { session: session ?? null, allTenants });
    return query.lean().exec();
  }
}
