import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { type Actor, type AdminContext, unconditional } from '../../access/request-context.js';
import { assertFound, ServiceError } from '../../errors/service-error.js';
import type { Page } from '../../http/paging.js';
import { SecretHasher } from '../../access/secret-hasher.js';
import { type FieldChanges, newRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import { AuditTrail, type Change } from '../audit/audit-trail.js';
import { type CreateUser, type ListUsersQuery, toUserName, type UserNameResponse } from './user.dto.js';
import type { NewUser, PasswordResetResponse } from './user.dto.js';
import { acceptsResetToken, createResetToken, isDisabled } from './user.rules.js';
import { type AccountChanges, accountOf, accountUpdate, assertSameGeneration } from './user.rules.js';
import { type ListedUser, tokenLifetimeSeconds, type UserRecord } from './user.schema.js';
import { UsersRepository } from './users.repository.js';

type UserRole = Pick<UserRecord, 'role' | 'organizationId'>;

export interface UserChange {
  readonly stored: FieldChanges<UserRecord>;
  /** The changed fields for the audit event, without passwords and their hashes. */
  readonly changes?: object;
}

@Injectable()
export class UsersService {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly users: UsersRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  createSuperAdmin(actor: Actor, user: CreateUser): Promise<NewUser> {
    return this.create(actor, 'createSuperAdmin', user, { role: 'superAdmin' });
  }

  /** Creates the first super admin with the configured login, unless there is one. */
  async ensureSuperAdmin(login: { email: string; password: string } | undefined): Promise<void> {
    if ((await this.users.findSuperAdmin()) !== null) return;
    if (login === undefined) {
      this.logger.warn('There is no super admin; set SUPER_ADMIN_EMAIL and SUPER_ADMIN_PASSWORD and restart');
      return;
    }
    try {
      await this.createSuperAdmin({ system: 'server', ...unconditional }, { name: 'Super admin', ...login });
      this.logger.log('The first super admin was created');
    } catch (error) {
      // Another server may have created it at the same time.
      if (!(error instanceof ServiceError) || (await this.users.findSuperAdmin()) === null) throw error;
    }
  }

  /** Creates a user together with the audit event. */
  async create(actor: Actor, action: Change['action'], input: CreateUser, role: UserRole): Promise<NewUser> {
    const created = await this.build(input, role);
    const { _id, email } = created.user;
    const { password: _, ...changes } = input;
    const organizationId = role.organizationId?.toHexString();
    const event = { action, id: String(_id), organizationId, name: email, changes };
    await this.audit.recordWith(actor, event, (session) => this.users.insert(created.user, session));
    return created;
  }

  /** Builds the record of a new user. One without a password gets a random one, which is not returned, and a token. */
  async build({ password, ...fields }: CreateUser, role: UserRole): Promise<NewUser> {
    const passwordHash = await this.secrets.hash(password ?? randomBytes(32).toString('base64url'));
    const now = this.clock.now();
    const account = { _id: newRecordId(), passwordHash, tokenGeneration: 0, createdAt: now, updatedAt: now };
    const user = { ...fields, ...role, ...account };
    if (password !== undefined) return { user, passwordReset: undefined };
    const { response, passwordReset } = createResetToken(now);
    return { user: { ...user, passwordReset }, passwordReset: response };
  }

  /**
   * Renames, disables or enables a user. Disabling ends the user's tokens permanently.
   * @throws ServiceError 40407 for an unknown user, 40303 for admins who disable themselves, 40102 for one who is
   * disabled meanwhile
   */
  async update(actor: Actor, id: string, fields: AccountChanges): Promise<UserRecord> {
    if (fields.disabled === true && 'user' in actor && actor.user.id === id)
      throw new ServiceError('roleForbidden', { message: 'You cannot disable yourself' });
    return this.change(actor, 'updateUser', id, (user) => this.accountChange(user, fields));
  }

  /** Disables a user on behalf of an operator, who may disable any user. */
  async disable(actor: Actor, id: string): Promise<void> {
    await this.change(actor, 'disableUser', id, (user) => this.accountChange(user, { disabled: true }));
  }

  /**
   * Changes a user's own password.
   * @param user as read when the current password was verified: of two concurrent changes only the first succeeds
   * @throws ServiceError 40102 if the user's tokens ended concurrently
   */
  async changePassword(context: AdminContext, user: UserRecord, password: string): Promise<UserRecord> {
    const passwordHash = await this.secrets.hash(password);
    return this.change(context, 'changePassword', String(user._id), (current) => {
      assertSameGeneration(current, user);
      return this.passwordChange(current, passwordHash);
    });
  }

  /** Creates a token with which another user can set a password. An earlier one stops working. */
  async createPasswordReset(context: AdminContext, id: string): Promise<PasswordResetResponse> {
    if (context.user.id === id)
      throw new ServiceError('roleForbidden', { message: 'Change your own password instead' });
    const now = this.clock.now();
    const { response, passwordReset } = createResetToken(now);
    await this.change(context, 'createPasswordReset', id, () => ({ stored: { passwordReset, updatedAt: now } }));
    return response;
  }

  /**
   * Sets a user's password without the current one. A disabled user stays disabled.
   * @param token a token that the user must have, if given, and that the change uses up
   */
  async resetPassword(actor: Actor, userId: string, password: string, token?: string): Promise<void> {
    const passwordHash = await this.secrets.hash(password);
    await this.change(actor, 'resetPassword', userId, (user) => {
      if (token !== undefined && !acceptsResetToken(user, token, this.clock.now()))
        throw new ServiceError('resetTokenInvalid');
      return this.passwordChange(user, passwordHash);
    });
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

  /** Stores the network of a login. A closed connection has none. */
  async recordLogin({ _id }: UserRecord, network: string): Promise<void> {
    if (network !== '') await this.users.addRecentLogin(_id, { network, at: this.clock.now() });
  }

  async get(id: string, session?: Session): Promise<UserRecord> {
    return assertFound(await this.users.findById(id, session), 'userNotFound');
  }

  /** Returns the user with an email in lower case. */
  async getByEmail(email: string): Promise<UserRecord> {
    const user = await this.users.findByEmail(email);
    if (user === null) throw new ServiceError('userNotFound', { message: `No user has the email ${email}` });
    return user;
  }

  list(query: ListUsersQuery): Promise<Page<ListedUser>> {
    return this.users.findPage(query);
  }

  /** Returns the names and emails of the users that exist, by ID. */
  async findNames(ids: readonly string[]): Promise<Map<string, UserNameResponse>> {
    const users = await this.users.findNames([...new Set(ids)]);
    return new Map(users.map((user) => [String(user._id), toUserName(user)]));
  }

  /**
   * Changes a user together with the audit event.
   * @param decide returns the change of the current record, or undefined for none. It runs again if the transaction is
   * retried.
   * @returns the user after the change
   */
  async change(
    actor: Actor,
    action: Change['action'],
    id: string,
    decide: (user: UserRecord) => UserChange | undefined,
  ): Promise<UserRecord> {
    return this.transactions.run(actor, async (session) => {
      const before = await this.get(id, session);
      const change = decide(before);
      if (change === undefined) return before;
      // Of two admins who disable each other concurrently, only the first succeeds.
      const isLocked = isDisabled(change.stored) && 'user' in actor;
      if (isLocked && !(await this.users.lockEnabled(actor.user.id, this.clock.now(), session)))
        throw new ServiceError('invalidLogin');
      const after = await this.users.updateById(id, change.stored, session);
      const organizationId = before.organizationId && String(before.organizationId);
      const values = change.changes && { changes: change.changes, before: accountOf(before) };
      await this.audit.record(actor, { action, id, organizationId, name: before.email, ...values }, session);
      return after ?? before;
    });
  }

  private passwordChange({ tokenGeneration }: UserRecord, passwordHash: string): UserChange {
    const ended = { tokenGeneration: tokenGeneration + 1, passwordReset: null };
    return { stored: { passwordHash, ...ended, updatedAt: this.clock.now() } };
  }

  private accountChange(user: UserRecord, fields: AccountChanges): UserChange | undefined {
    const update = accountUpdate(user, fields, this.clock.now());
    if (update?.changes.disabled !== true) return update;
    const ended = { tokenGeneration: user.tokenGeneration + 1, passwordReset: null };
    return { ...update, stored: { ...update.stored, ...ended } };
  }
}
