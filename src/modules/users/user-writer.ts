import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../common/clock.js';
import type { AdminRole, Author } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { ServiceError } from '../../common/errors/service-error.js';
import { SecretHasher } from '../../common/secrets/secret-hasher.js';
import type { FieldChanges } from '../../database/record.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
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

/** A user to be made, whose password nobody has hashed yet. */
export type UserWithPassword = Omit<NewUser, 'passwordHash'> & { readonly password: string };

/** What becomes of a user. */
export interface UserChange {
  readonly stored: FieldChanges<UserRecord>;
  /** What the audit keeps of it; never a password, nor its hash. */
  readonly told?: Readonly<Record<string, unknown>>;
}

/** The one way to make and to change a user: with an event in the audit, and a word to those who remember the user. */
@Injectable()
export class UserWriter {
  constructor(
    private readonly users: UsersRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a new user as a part of a transaction, which records the event, too.
   * @throws ServiceError 40901 where the email is taken
   */
  async insert(user: NewUser, session: Session): Promise<UserRecord> {
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

  /**
   * Makes a user by themselves, with their event.
   * @throws ServiceError 40901 where the email is taken
   */
  async add(author: Author, action: string, { password, ...user }: UserWithPassword): Promise<UserRecord> {
    const passwordHash = await this.secrets.hash(password);
    return this.transactions.run(author, async (session) => {
      const record = await this.insert({ ...user, passwordHash }, session);
      const { name, email, organizationId } = user;
      const target = { kind: 'user', id: String(record._id) } as const;
      await this.audit.recordChange(author, { action, target, organizationId, changes: { name, email } }, session);
      return record;
    });
  }

  /**
   * Changes a user by what they are at this moment.
   * @param decide gets the user and gives the change, or undefined where there is none; asked again where another
   * change was in the way
   * @returns the user as they are then
   * @throws ServiceError 40407; whatever `decide` throws
   */
  async change(
    author: Author,
    action: string,
    id: string,
    decide: (user: UserRecord) => UserChange | undefined,
  ): Promise<UserRecord> {
    const work = async (session: Session): Promise<UserRecord> => {
      const before = await this.users.findById(id, session);
      if (before === null) throw new ServiceError(errorCatalogue.userNotFound);
      const change = decide(before);
      if (change === undefined) return before;
      const after = await this.users.updateById(id, change.stored, session);
      const target = { kind: 'user', id } as const;
      const organizationId = before.organizationId && String(before.organizationId);
      await this.audit.recordChange(
        author,
        { action, target, organizationId, ...(change.told && { changes: change.told }) },
        session,
      );
      return after ?? before;
    };
    return this.transactions.run(author, work);
  }
}
