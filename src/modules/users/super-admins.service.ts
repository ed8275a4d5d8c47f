import { Injectable, Logger } from '@nestjs/common';
import type { Author } from '../../common/context/request-context.js';
import { ServiceError } from '../../common/errors/service-error.js';
import { DatabaseService } from '../../database/database.service.js';
import type { UserRecord } from './user.schema.js';
import { UserWriter } from './user-writer.js';
import { UsersRepository } from './users.repository.js';

/** Makes super admins, which no route does. */
@Injectable()
export class SuperAdminsService {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly repository: UsersRepository,
    private readonly writer: UserWriter,
    private readonly database: DatabaseService,
  ) {}

  /**
   * Makes a super admin.
   * @throws ServiceError 40901 where the email is taken
   */
  create(author: Author, input: { name: string; email: string; password: string }): Promise<UserRecord> {
    return this.writer.add(author, 'createSuperAdmin', { ...input, role: 'superAdmin' });
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
