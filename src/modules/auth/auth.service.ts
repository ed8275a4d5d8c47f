import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AdminContext, AnonymousContext } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../../common/errors/service-error.js';
import { addressGroup } from '../../common/http/client-address.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { UserRecord } from '../users/user.schema.js';
import { UsersService } from '../users/users.service.js';
import type { ChangePassword, Login, LoginResponse } from './auth.dto.js';
import { LoginLimiter } from './login-limiter.js';
import { toAdmin, tokenSeconds, TokensService } from './tokens.service.js';

@Injectable()
export class AuthService {
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly users: UsersService,
    private readonly organizations: OrganizationsService,
    private readonly tokens: TokensService,
    private readonly limiter: LoginLimiter,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Logs a user in. The audit records each login, and each rejected one for the email of a user, except those with 42902: strangers
   * could fill the audit with them.
   * @throws ServiceError 40102 for a wrong email or password, 42902 after too many of them
   */
  async login(context: AnonymousContext, { email, password }: Login): Promise<LoginResponse> {
    const { address, requestId } = context;
    const network = addressGroup(address);
    const verify = async () => this.organizations.ifActive(await this.users.findByLogin(email, password, network));
    const user = await this.limiter.attempt(email, network, verify);
    if (user === null) {
      void this.audit.recordRejectedLogin(context, () => this.users.findByEmail(email));
      throw new ServiceError(errorCatalogue.invalidLogin, { message: 'The email or the password is wrong' });
    }
    await this.users.recordLogin(user, network);
    await this.audit.recordLogin({ user: toAdmin(user), address, requestId });
    this.logger.log('Logged in', { requestId, userId: String(user._id), address });
    return this.loginOf(user);
  }

  /**
   * Gives users a new password of their own, and logs them in with it; all earlier tokens are dead. Wrong current
   * passwords are counted as failed logins: a stolen token does not let anybody guess without bound.
   * @throws ServiceError 40102 where the current password is wrong, or was changed at the same moment, 42902 after too
   * many wrong ones, 40001 where the new password is the current one
   */
  async changePassword(context: AdminContext, input: ChangePassword): Promise<LoginResponse> {
    const { currentPassword, newPassword } = input;
    if (newPassword === currentPassword) {
      throw invalidField('newPassword', 'newPassword must be another one than currentPassword');
    }
    const { id, email } = context.user;
    const verify = async () => this.organizations.ifActive(await this.users.findByPassword(id, currentPassword));
    const user = await this.limiter.attempt(email, addressGroup(context.address), verify);
    if (user === null) {
      throw new ServiceError(errorCatalogue.invalidLogin, { message: 'The current password is wrong' });
    }
    return this.loginOf(await this.users.changePassword(context, user, newPassword));
  }

  private async loginOf(user: UserRecord): Promise<LoginResponse> {
    return { accessToken: await this.tokens.issue(user), tokenType: 'Bearer', expiresIn: tokenSeconds };
  }
}
