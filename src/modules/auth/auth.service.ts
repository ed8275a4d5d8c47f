import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../config/clock.js';
import { type AdminContext, type AnonymousContext, unconditional } from '../../access/request-context.js';
import { errorCatalogue } from '../../errors/error-catalogue.js';
import { invalidField, ServiceError } from '../../errors/service-error.js';
import { addressGroup } from '../../http/client-address.js';
import { SecretHasher } from '../../access/secret-hasher.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { isDisabled, isKnownNetwork } from '../users/user.rules.js';
import { tokenLifetimeSeconds, type UserRecord } from '../users/user.schema.js';
import { UsersService } from '../users/users.service.js';
import type { ChangePassword, Login, LoginResponse } from './auth.dto.js';
import { LoginLimiter } from './login-limiter.js';
import { toAdmin, TokensService } from './tokens.service.js';

@Injectable()
export class AuthService {
  private readonly logger = new Logger('Auth');
  /** Verified if no user has the email, so that an unknown email takes as long as a wrong password. */
  private readonly dummyHash: Promise<string>;

  constructor(
    private readonly users: UsersService,
    private readonly organizations: OrganizationsService,
    private readonly tokens: TokensService,
    private readonly limiter: LoginLimiter,
    private readonly audit: AuditTrail,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {
    this.dummyHash = secrets.hash('no user has this password');
  }

  /**
   * Logs a user in. The audit records logins and, if the email belongs to a user, rejected logins, except those with
   * 42902, which could flood the audit.
   * @throws ServiceError 40102 for a wrong email or password, 42902 after too many failures
   */
  async login(context: AnonymousContext, { email, password }: Login): Promise<LoginResponse> {
    const { address, requestId } = context;
    const network = addressGroup(address);
    const user = await this.limiter.run(email, network, () => this.findByLogin(email, password, network));
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
   * Changes a user's own password, ends all earlier tokens and returns a new one. A wrong current password counts as a
   * failed login, so that a stolen token does not allow unlimited guesses.
   * @throws ServiceError 40102 if the current password is wrong or changes meanwhile, 42902 after too many failures,
   * 40001 if the new password equals the current one
   */
  async changePassword(context: AdminContext, input: ChangePassword): Promise<LoginResponse> {
    const { currentPassword, newPassword } = input;
    if (newPassword === currentPassword) {
      throw invalidField('newPassword', 'newPassword must differ from currentPassword');
    }
    const { id, email } = context.user;
    const verify = () => this.findByPassword(id, currentPassword);
    const user = await this.limiter.run(email, addressGroup(context.address), verify);
    if (user === null) {
      throw new ServiceError(errorCatalogue.invalidLogin, { message: 'The current password is wrong' });
    }
    return this.toResponse(await this.users.changePassword(context, user, newPassword));
  }

  /**
   * Returns the user with this email and password, or null if there is none or the user is disabled. Enabled users who
   * recently logged in from this network do not wait behind other logins.
   * @param network as returned by `addressGroup`
   */
  async findByLogin(email: string, password: string, network: string): Promise<UserRecord | null> {
    const user = await this.users.findByEmail(email);
    const isKnown = user !== null && !isDisabled(user) && isKnownNetwork(user, network, this.clock.now());
    const hash = user?.passwordHash ?? (await this.dummyHash);
    const isRight = await this.secrets.verifyPassword(hash, password, isKnown ? 'knownNetwork' : 'newNetwork');
    return isRight && user !== null && (await this.organizations.isActiveUser(user)) ? user : null;
  }

  private async findByPassword(id: string, password: string): Promise<UserRecord | null> {
    const user = await this.users.findById(id);
    if (user === null || !(await this.organizations.isActiveUser(user))) return null;
    return (await this.secrets.verifyPassword(user.passwordHash, password, 'admins')) ? user : null;
  }

  private async toResponse(user: UserRecord): Promise<LoginResponse> {
    return { accessToken: await this.tokens.issue(user), tokenType: 'Bearer', expiresIn: tokenLifetimeSeconds };
  }
}
