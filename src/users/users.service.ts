import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { isDisabled } from '../common/disabled.js';
import type { AdminRole } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { SecretHasher } from '../common/secrets/secret-hasher.js';
import { newRecordId, toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import type { UserRecord } from './user.schema.js';
import { UsersRepository } from './users.repository.js';

/** A user to be made. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: AdminRole;
  readonly organizationId?: string;
}

/** Who a user is, for lists of who did what. */
export interface UserName {
  readonly _id: string;
  readonly name: string;
  readonly email: string;
}

@Injectable()
export class UsersService {
  private readonly logger = new Logger('Users');
  /** Compared with where there is no such user, so that an unknown email takes as long as a wrong password. */
  private readonly nobodysHash: Promise<string>;

  constructor(
    private readonly users: UsersRepository,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {
    this.nobodysHash = secrets.hash('nobody has this password');
  }

  /**
   * Makes a user, with a session as part of a transaction.
   * @throws ServiceError 40901 where the email is taken
   */
  async create(user: NewUser, session?: Session): Promise<UserRecord> {
    const now = this.clock.now();
    const { organizationId, ...rest } = user;
    const record: UserRecord = {
      _id: newRecordId(),
      ...rest,
      ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
      createdAt: now,
      updatedAt: now,
    };
    await this.users.insert(record, session);
    return record;
  }

  /** The user with this email and password, or null: also for one who is disabled. */
  async findByLogin(email: string, password: string): Promise<UserRecord | null> {
    const user = await this.users.findByEmail(email);
    const right = await this.secrets.verifyPassword(user?.passwordHash ?? (await this.nobodysHash), password, email);
    return user !== null && right && !isDisabled(user) ? user : null;
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

  /** Makes the first super admin from the configuration, where there is no super admin yet. */
  async ensureSuperAdmin(login: { email: string; password: string } | undefined): Promise<void> {
    if (await this.users.existsWithRole('superAdmin')) return;
    if (login === undefined) {
      this.logger.warn('There is no super admin: set SUPER_ADMIN_EMAIL and SUPER_ADMIN_PASSWORD and start again');
      return;
    }
    const passwordHash = await this.secrets.hash(login.password);
    try {
      await this.create({ name: 'Super admin', email: login.email, passwordHash, role: 'superAdmin' });
      this.logger.log('The first super admin was made');
    } catch (error) {
      // Another replica that starts at the same moment made it first.
      if (!(error instanceof ServiceError) || !(await this.users.existsWithRole('superAdmin'))) throw error;
    }
  }
}
