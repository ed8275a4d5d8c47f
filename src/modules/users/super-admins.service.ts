import { Injectable, Logger } from '@nestjs/common';
import { type Actor, unconditional } from '../../access/request-context.js';
import { ServiceError } from '../../errors/service-error.js';
import { DatabaseService } from '../../database/database.service.js';
import type { CreateUser, NewUser } from './user.dto.js';
import { UsersService } from './users.service.js';

@Injectable()
export class SuperAdminsService {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly users: UsersService,
    private readonly database: DatabaseService,
  ) {}

  create(actor: Actor, user: CreateUser): Promise<NewUser> {
    return this.users.create(actor, 'createSuperAdmin', user, { role: 'superAdmin' });
  }

  /** Creates the first super admin with the configured login, unless there is one. */
  async ensureFirst(login: { email: string; password: string } | undefined): Promise<void> {
    if ((await this.users.findSuperAdmin()) !== null) return;
    if (login === undefined) {
      this.logger.warn('There is no super admin; set SUPER_ADMIN_EMAIL and SUPER_ADMIN_PASSWORD and restart');
      return;
    }
    if (!this.database.hasTransactions) {
      this.logger.warn('The first super admin was not created: MongoDB must be a replica set to write users');
      return;
    }
    try {
      await this.create({ system: 'server', ...unconditional }, { name: 'Super admin', ...login });
      this.logger.log('The first super admin was created');
    } catch (error) {
      // Another server may have created it at the same time.
      if (!(error instanceof ServiceError) || (await this.users.findSuperAdmin()) === null) throw error;
    }
  }
}
