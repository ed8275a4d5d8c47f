import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { AdminContext, Actor } from '../../access/request-context.js';
import { errorCatalogue } from '../../errors/error-catalogue.js';
import { ServiceError } from '../../errors/service-error.js';
import type { Page, PageQuery } from '../../http/paging.js';
import { SecretHasher } from '../../access/secret-hasher.js';
import { type FieldChanges, newRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { AuditTrail, type Change } from '../audit/audit-trail.js';
import { type CreateUser, toUserName, type UserNameResponse } from './user.dto.js';
import { type AccountChanges, accountUpdate, isDisabled, shouldStoreLogin } from './user.rules.js';
import { tokenLifetimeSeconds, type User, type UserRecord } from './user.schema.js';
import { UsersRepository } from './users.repository.js';

type UserRole = Pick<User, 'role' | 'organizationId'>;

interface UserChange {
  readonly stored: FieldChanges<UserRecord>;
  /** The changed fields for the audit event, without passwords and their hashes. */
  readonly changes?: object;
}

@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a user together with the audit event.
   * @throws ServiceError 40901 if the email is taken
   */
  async create(actor: Actor, action: Change['action'], input: CreateUser, role: UserRole): Promise<UserRecord> {
    const user = await this.build(input, role);
    const { _id, name, email } = user;
    const organizationId = role.organizationId?.toHexString();
    const event = { action, id: String(_id), organizationId, changes: { name, email } };
    await this.audit.recordWith(actor, event, (session) => this.insert(user, session));
    return user;
  }

  /** Builds the record of a new user, for `insert`. */
  async build({ password, ...fields }: CreateUser, role: UserRole): Promise<UserRecord> {
    const passwordHash = await this.secrets.hash(password);
    const now = this.clock.now();
    return { ...fields, ...role, _id: newRecordId(), passwordHash, tokenGeneration: 0, createdAt: now, updatedAt: now };
  }

  /**
   * Stores a new user in a transaction whose caller records the audit event.
   * @throws ServiceError 40901 if the email is taken
   */
  insert(user: UserRecord, session: Session): Promise<void> {
    return this.users.insert(user, session);
  }

  /**
   * Renames, disables or enables a user. Disabling ends the user's tokens permanently.
   * @throws ServiceError 40407 for an unknown user, 40303 for admins who disable themselves
   */
  async update(actor: Actor, id: string, fields: AccountChanges): Promise<UserRecord> {
    if (fields.disabled === true && 'user' in actor && actor.user.id === id) {
      throw new ServiceError(errorCatalogue.roleForbidden, { message: 'You cannot disable yourself' });
    }
    return this.change(actor, 'updateUser', id, (user) => this.accountChange(user, fields));
  }

  /** Disables a user on behalf of an operator, who may disable any user. */
  async disable(actor: Actor, id: string): Promise<void> {
    await this.change(actor, 'disableUser', id, (user) => this.accountChange(user, { disabled: true }));
  }

  /**
   * Changes a user's own password.
   * @param user as read when the current password was verified: of two concurrent changes only the first succeeds
   * @throws ServiceError 40102 if the password was changed or the user disabled meanwhile
   */
  async changePassword(context: AdminContext, user: UserRecord, password: string): Promise<UserRecord> {
    const passwordHash = await this.secrets.hash(password);
    return this.change(context, 'changePassword', String(user._id), (current) => {
      if (current.passwordHash !== user.passwordHash || isDisabled(current)) {
        throw new ServiceError(errorCatalogue.invalidLogin, {
          message: 'The password was changed by another request; log in again',
        });
      }
      return this.passwordChange(current, passwordHash);
    });
  }

  /**
   * Sets a user's password without the current one. A disabled user stays disabled.
   * @throws ServiceError 40407
   */
  async resetPassword(actor: Actor, userId: string, password: string): Promise<void> {
    const passwordHash = await this.secrets.hash(password);
    await this.change(actor, 'resetPassword', userId, (user) => this.passwordChange(user, passwordHash));
  }

  /** Ends the session of the caller's token. More than 100 in an hour end all sessions, so that the list stays short. */
  async endSession(context: AdminContext): Promise<void> {
    const at = this.clock.now();
    await this.change(context, 'logout', context.user.id, (user) => {
      const isRecent = (session: { at: Date }) => at.getTime() - session.at.getTime() <= tokenLifetimeSeconds * 1_000;
      const others = user.endedSessions?.filter(isRecent) ?? [];
      if (others.length >= 100) return { stored: { endedSessions: [], tokenGeneration: user.tokenGeneration + 1 } };
      return { stored: { endedSessions: [...others, { id: context.user.sessionId ?? '', at }] } };
    });
  }

  /** Stores the network of a login, at most once a day for each network, so that most logins write nothing. */
  async recordLogin(user: UserRecord, network: string): Promise<void> {
    const at = this.clock.now();
    if (shouldStoreLogin(user, network, at)) await this.users.addRecentLogin(user._id, { network, at });
  }

  /** Returns the user with an email in lower case, or null. */
  findByEmail(email: string): Promise<UserRecord | null> {
    return this.users.findByEmail(email);
  }

  findById(id: string): Promise<UserRecord | null> {
    return this.users.findById(id);
  }

  /** @throws ServiceError 40407 */
  async get(id: string, session?: Session): Promise<UserRecord> {
    const user = await this.users.findById(id, session);
    if (user === null) throw new ServiceError(errorCatalogue.userNotFound);
    return user;
  }

  /**
   * Returns the user with an email in lower case.
   * @throws ServiceError 40407
   */
  async getByEmail(email: string): Promise<UserRecord> {
    const user = await this.users.findByEmail(email);
    if (user === null)
      throw new ServiceError(errorCatalogue.userNotFound, { message: `No user has the email ${email}` });
    return user;
  }

  /** Returns a page of the creator and the admins of an organization, in order of creation. */
  listOfOrganization(organizationId: string, page: PageQuery): Promise<Page<User>> {
    return this.users.findOfOrganization(organizationId, page);
  }

  /** Returns the names and emails of the users that exist, by ID. */
  async findNames(ids: readonly string[]): Promise<Map<string, UserNameResponse>> {
    const users = await this.users.findNames([...new Set(ids)]);
    return new Map(users.map((user) => [String(user._id), toUserName(user)]));
  }

  findSuperAdmin(): Promise<UserRecord | null> {
    return this.users.findFirstWithRole('superAdmin');
  }

  /**
   * Changes a user together with the audit event.
   * @param decide returns the change of the current record, or undefined for none. It runs again if the transaction is
   * retried.
   * @returns the user after the change
   * @throws ServiceError 40407; any error of `decide`
   */
  private async change(
    actor: Actor,
    action: Change['action'],
    id: string,
    decide: (user: UserRecord) => UserChange | undefined,
  ): Promise<UserRecord> {
    return this.transactions.run(actor, async (session) => {
      const before = await this.get(id, session);
      const change = decide(before);
      if (change === undefined) return before;
      const after = await this.users.updateById(id, change.stored, session);
      const organizationId = before.organizationId && String(before.organizationId);
      await this.audit.recordChange(actor, { action, id, organizationId, changes: change.changes }, session);
      return after ?? before;
    });
  }

  private passwordChange(user: UserRecord, passwordHash: string): UserChange {
    return { stored: { passwordHash, tokenGeneration: user.tokenGeneration + 1, updatedAt: this.clock.now() } };
  }

  private accountChange(user: UserRecord, fields: AccountChanges): UserChange | undefined {
    const update = accountUpdate(user, fields, this.clock.now());
    if (update?.changes.disabled !== true) return update;
    return { ...update, stored: { ...update.stored, tokenGeneration: user.tokenGeneration + 1 } };
  }
}
