import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type Actor, type AdminContext, unconditional } from '../../access/request-context.js';
import { ServiceError } from '../../errors/service-error.js';
import { Clock } from '../../config/clock.js';
import { DatabaseService } from '../../database/database.service.js';
import { type CreateSuperAdmin, type CreateUser, type NewSuperAdminResponse, toUserResponse } from './user.dto.js';
import { createResetToken } from './user.rules.js';
import type { UserRecord } from './user.schema.js';
import { UsersService } from './users.service.js';

@Injectable()
export class SuperAdminsService {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly users: UsersService,
    private readonly database: DatabaseService,
    private readonly clock: Clock,
  ) {}

  create(actor: Actor, user: CreateUser): Promise<UserRecord> {
    return this.users.create(actor, 'createSuperAdmin', user, { role: 'superAdmin' });
  }

  /** Creates a super admin with a random password, which is not returned, and a token with which they set their own. */
  async invite(context: AdminContext, { name, email }: CreateSuperAdmin): Promise<NewSuperAdminResponse> {
    const { response, passwordReset } = createResetToken(this.clock.now());
    const password = randomBytes(32).toString('base64url');
    const role = { role: 'superAdmin', passwordReset } as const;
    const user = await this.users.create(context, 'createSuperAdmin', { name, email, password }, role);
    return Object.assign(toUserResponse(user), { passwordReset: response });
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
