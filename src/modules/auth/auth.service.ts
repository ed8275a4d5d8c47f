import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { type AdminContext, type AnonymousContext, unconditional } from '../../common/context/request-context.js';
import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../../common/errors/service-error.js';
import { addressGroup } from '../../common/http/client-address.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { UserRecord } from '../users/user.schema.js';
import { UsersService } from '../users/users.service.js';
import type { ChangePassword, Login, LoginResponse } from './auth.dto.js';
import { LoginLimiter } from './login-limiter.js';
import { toAdmin, tokenLifetimeSeconds, TokensService } from './tokens.service.js';

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
   * Logs a user in. The audit records logins and, if the email belongs to a user, rejected logins, except those with 42902, which
   * could flood the audit.
   * @throws ServiceError 40102 for a wrong email or password, 42902 after too many failures
   */
  async login(context: AnonymousContext, { email, password }: Login): Promise<LoginResponse> {
    const { address, requestId } = context;
    const network = addressGroup(address);
    const verify = async () =>
      this.organizations.withActiveOrganization(await this.users.findByLogin(email, password, network));
    const user = await this.limiter.attempt(email, network, verify);
    if (user === null) {
      void this.audit.recordRejectedLogin(context, () => this.users.findByEmail(email));
      throw new ServiceError(errorCatalogue.invalidLogin, { message: 'The email or the password is wrong' });
    }
    await this.users.recordLogin(user, network);
    await this.audit.recordLogin({ user: toAdmin(user), address, requestId, ...unconditional });
    this.logger.log('Logged in', { requestId, userId: String(user._id), address });
    return this.toResponse(user);
  }

  /**
   * Changes a user's own password, ends all earlier tokens and returns a new one. A wrong current password counts as a failed
   * login, so that a stolen token does not allow unlimited guesses.
   * @throws ServiceError 40102 if the current password is wrong or changes meanwhile, 42902 after too many failures, 40001 if the
   * new password equals the current one
   */
  async changePassword(context: AdminContext, input: ChangePassword): Promise<LoginResponse> {
    const { currentPassword, newPassword } = input;
    if (newPassword === currentPassword) {
      throw invalidField('newPassword', 'newPassword must differ from currentPassword');
    }
    const { id, email } = context.user;
    const verify = async () =>
      this.organizations.withActiveOrganization(await this.users.findByPassword(id, currentPassword));
    const user = await this.limiter.attempt(email, addressGroup(context.address), verify);
    if (user === null) {
      throw new ServiceError(errorCatalogue.invalidLogin, { message: 'The current password is wrong' });
    }
    return this.toResponse(await this.users.changePassword(context, user, newPassword));
  }

  private async toResponse(user: UserRecord): Promise<LoginResponse> {
    return { accessToken: await this.tokens.issue(user), tokenType: 'Bearer', expiresIn: tokenLifetimeSeconds };
  }
}
