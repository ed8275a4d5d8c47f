import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { AdminContext, Author } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import type { Page, PageQuery } from '../../common/http/paging.js';
import { SecretHasher } from '../../common/secrets/secret-hasher.js';
import type { Session } from '../../database/transaction.js';
import { type AccountFields, accountUpdate, isDisabled } from './account-update.js';
import { isFamiliarNetwork, isLoginToStore } from './recent-logins.js';
import { type NewUser, type UserChange, type UserWithPassword, UserWriter } from './user-writer.js';
import { endingTokens, type UserRecord } from './user.schema.js';
import { type ListedUser, UsersRepository } from './users.repository.js';

/** Who a user is, for lists of who did what. */
export interface UserName {
  readonly _id: string;
  readonly name: string;
  readonly email: string;
}

@Injectable()
export class UsersService {
  /** Compared with where there is no such user, so that an unknown email takes as long as a wrong password. */
  private readonly nobodysHash: Promise<string>;

  constructor(
    private readonly users: UsersRepository,
    private readonly writer: UserWriter,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {
    this.nobodysHash = secrets.hash('nobody has this password');
  }

  /**
   * Makes a user as a part of a transaction, which records the event, too.
   * @throws ServiceError 40901 where the email is taken
   */
  create(user: NewUser, session: Session): Promise<UserRecord> {
    return this.writer.insert(user, session);
  }

  /**
   * Makes a user by themselves, with their event.
   * @throws ServiceError 40901 where the email is taken
   */
  add(author: Author, action: string, user: UserWithPassword): Promise<UserRecord> {
    return this.writer.add(author, action, user);
  }

  /**
   * Renames, disables or enables a user. Disabling ends their tokens for good; again, it is no change.
   * @throws ServiceError 40407 for an unknown user, 40303 where admins would disable themselves
   */
  async update(author: Author, id: string, fields: AccountFields): Promise<UserRecord> {
    if (fields.disabled === true && 'user' in author && author.user.id === id) {
      throw new ServiceError(errorCatalogue.roleForbidden, { message: 'You may not disable yourself' });
    }
    return this.writer.change(author, 'updateUser', id, (user) => this.changeOf(user, fields));
  }

  /** Disables a user as an operator does, who may disable anybody; again, it is no change. */
  async disable(author: Author, id: string): Promise<void> {
    await this.writer.change(author, 'disableUser', id, (user) => this.changeOf(user, { disabled: true }));
  }

  /**
   * Changes a user's own password.
   * @param user as read when the current password was looked at: of two changes at once the first one counts
   * @throws ServiceError 40102 where the password was changed, or the user disabled, meanwhile
   */
  async changePassword(context: AdminContext, user: UserRecord, password: string): Promise<UserRecord> {
    const passwordHash = await this.secrets.hash(password);
    return this.writer.change(context, 'changePassword', String(user._id), (current) => {
      if (current.passwordHash !== user.passwordHash || isDisabled(current)) {
        throw new ServiceError(errorCatalogue.invalidLogin, {
          message: 'The password was changed at the same moment; log in again',
        });
      }
      return this.withHash(current, passwordHash);
    });
  }

  /**
   * Sets a user's password, whatever it was. Who is disabled stays so.
   * @throws ServiceError 40407
   */
  async resetPassword(author: Author, userId: string, password: string): Promise<void> {
    const passwordHash = await this.secrets.hash(password);
    await this.writer.change(author, 'resetPassword', userId, (current) => this.withHash(current, passwordHash));
  }

  private withHash(user: UserRecord, passwordHash: string) {
    return { stored: { passwordHash, ...endingTokens(user), updatedAt: this.clock.now() } };
  }

  private changeOf(user: UserRecord, fields: AccountFields): UserChange | undefined {
    const update = accountUpdate(user, fields, this.clock.now());
    if (update === undefined) return undefined;
    const { stored, told } = update;
    return { stored: { ...stored, ...(told.disabled === true && endingTokens(user)) }, told: { ...told } };
  }

  /**
   * Returns the user with this email and password, or null if there is none or the user is disabled. Users who may log in
   * and did so from this network lately wait apart from all others.
   * @param network as `addressGroup` names it
   */
  async findByLogin(email: string, password: string, network: string): Promise<UserRecord | null> {
    const user = await this.users.findByEmail(email);
    const enabled = user === null || isDisabled(user) ? null : user;
    const isFamiliar = enabled !== null && isFamiliarNetwork(enabled, network, this.clock.now());
    const hash = user?.passwordHash ?? (await this.nobodysHash);
    return (await this.secrets.verifyPassword(hash, password, isFamiliar ? 'familiar' : 'unfamiliar')) ? enabled : null;
  }

  /** Returns the user with this id if this is their password, or null. For a user who is logged in. */
  async findByPassword(id: string, password: string): Promise<UserRecord | null> {
    const user = await this.findActive(id);
    if (user === null) return null;
    const right = await this.secrets.verifyPassword(user.passwordHash, password, 'admins');
    return right ? user : null;
  }

  /** Stores from where a user logged in, at most once a day for each network, so that most logins write nothing. */
  async recordLogin(user: UserRecord, network: string): Promise<void> {
    const at = this.clock.now();
    if (isLoginToStore(user, network, at)) await this.users.addRecentLogin(user._id, { network, at });
  }

  /** The user with an email in lower case, or null where there is none. */
  findByEmail(email: string): Promise<UserRecord | null> {
    return this.users.findByEmail(email);
  }

  /** A user who may act, or null where there is none or the user is disabled. */
  async findActive(id: string): Promise<UserRecord | null> {
    const user = await this.users.findById(id);
    return user === null || isDisabled(user) ? null : user;
  }

  /**
   * A user by id.
   * @throws ServiceError 40407
   */
  async get(id: string): Promise<UserRecord> {
    const user = await this.users.findById(id);
    if (user === null) throw new ServiceError(errorCatalogue.userNotFound);
    return user;
  }

  /**
   * A user by email in lower case.
   * @throws ServiceError 40407
   */
  async getByEmail(email: string): Promise<UserRecord> {
    const user = await this.users.findByEmail(email);
    if (user === null) throw new ServiceError(errorCatalogue.userNotFound, { message: 'No user has this email' });
    return user;
  }

  /** A page of the creator and the admins of an organization, in order of creation. */
  listOfOrganization(organizationId: string, page: PageQuery): Promise<Page<ListedUser>> {
    return this.users.findOfOrganization(organizationId, page);
  }

  /** Names and emails by id, of those who exist. */
  async namesOf(ids: readonly string[]): Promise<Map<string, UserName>> {
    const found = await this.users.findNames([...new Set(ids)]);
    return new Map(
      found.map((user) => [String(user._id), { _id: String(user._id), name: user.name, email: user.email }]),
    );
  }

  /** The first super admin, or null where there is none yet. */
  findSuperAdmin(): Promise<UserRecord | null> {
    return this.users.findFirstWithRole('superAdmin');
  }
}
