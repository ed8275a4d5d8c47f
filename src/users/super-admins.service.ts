import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Author } from '../common/context/request-context.js';
import { ServiceError } from '../common/errors/service-error.js';
import { SecretHasher } from '../common/secrets/secret-hasher.js';
import { DatabaseService } from '../database/database.service.js';
import { Transactions } from '../database/transaction.js';
import type { UserRecord } from './user.schema.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Makes super admins, which no route does. */
@Injectable()
export class SuperAdminsService {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly repository: UsersRepository,
    private readonly users: UsersService,
    private readonly secrets: SecretHasher,
    private readonly transactions: Transactions,
    private readonly database: DatabaseService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Makes a super admin.
   * @throws ServiceError 40901 where the email is taken
   */
  async create(author: Author, input: { name: string; email: string; password: string }): Promise<UserRecord> {
    const { name, email, password } = input;
    const passwordHash = await this.secrets.hash(password);
    return this.transactions.run(async (session) => {
      const user = await this.users.create({ name, email, passwordHash, role: 'superAdmin' }, session);
      const target = { kind: 'user', id: String(user._id) } as const;
      const changes = { name, email };
      await this.audit.recordChange(author, { action: 'createSuperAdmin', target, changes }, session);
      return user;
    });
  }

  /** Makes the first super admin from the configuration, where there is no super admin yet. */
  async ensureFirst(login: { email: string; password: string } | undefined): Promise<void> {
    if (await this.repository.existsWithRole('superAdmin')) return;
    if (login === undefined) {
      this.logger.warn('There is no super admin: set SUPER_ADMIN_EMAIL and SUPER_ADMIN_PASSWORD and start again');
      return;
    }
    if (!this.database.hasTransactions) {
      this.logger.warn('The first super admin was not made: users can be written to a replica set only');
      return;
    }
    try {
      await this.create({ system: 'server' }, { name: 'Super admin', ...login });
      this.logger.log('The first super admin was made');
    } catch (error) {
      // Another replica that starts at the same moment made it first.
      if (!(error instanceof ServiceError) || !(await this.repository.existsWithRole('superAdmin'))) throw error;
    }
  }
}
