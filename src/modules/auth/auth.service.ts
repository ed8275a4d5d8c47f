import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Clock } from '../../config/clock.js';
import { type AdminContext, type AnonymousContext, unconditional } from '../../access/request-context.js';
import type { AuditAction } from '../audit/audit-event.schema.js';
import { invalidField, ServiceError } from '../../errors/service-error.js';
import { addressGroup } from '../../http/client-address.js';
import { SecretHasher } from '../../access/secret-hasher.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { isAppCode } from '../users/second-factor.rules.js';
import { SecondFactorService } from '../users/second-factor.service.js';
import { hasSecondFactor, isDisabled, isKnownNetwork } from '../users/user.rules.js';
import type { UserRecord } from '../users/user.schema.js';
import { UsersRepository } from '../users/users.repository.js';
import { UsersService } from '../users/users.service.js';
import type { ChangePassword, DeleteSecondFactor, Login, LoginResponse } from './auth.dto.js';
import type { RecoveryCodesResponse, ResetPassword, ResetSecondFactor, SecondFactorResponse } from './auth.dto.js';
import { LoginLimiter } from './login-limiter.js';
import { toAdmin, TokensService } from './tokens.service.js';

const codeMissing = 'A code of the second factor is required';

@Injectable()
export class AuthService {
  private readonly logger = new Logger('Auth');
  /** Verified if no user has the email, so that an unknown email takes as long as a wrong password. */
  private readonly dummyHash: Promise<string>;

  constructor(
    private readonly users: UsersService,
    private readonly userRecords: UsersRepository,
    private readonly organizations: OrganizationsService,
    private readonly secondFactors: SecondFactorService,
    private readonly tokens: TokensService,
    private readonly limiter: LoginLimiter,
    private readonly audit: AuditTrail,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {
    this.dummyHash = secrets.hash('no user has this password');
  }

  /**
   * Logs a user in. The audit log records logins and, if the email belongs to a user, rejected logins, except those with
   * 42902, which could flood the log.
   * @throws ServiceError 40102 for a wrong email or password, 40103 for a missing or wrong code, 42902 after too many
   * failures, of which a missing code is not one
   */
  async login(context: AnonymousContext, { email, password, code }: Login): Promise<LoginResponse> {
    const { address, requestId } = context;
    const network = addressGroup(address);
    let rejection = new ServiceError('invalidLogin', { message: 'The email or the password is wrong' });
    const reject = (): never => {
      void this.audit.recordRejectedLogin(context, () => this.userRecords.findByEmail(email), rejection.entry);
      throw rejection;
    };
    const verify = async () => {
      const found = await this.findByLogin(email, password, network);
      if (found === null || !hasSecondFactor(found)) return found;
      rejection = new ServiceError('secondFactorRejected', code === undefined ? { message: codeMissing } : {});
      return (await this.useCode(code ?? reject(), found)) && found;
    };
    const user = (await this.limiter.run(email, network, verify)) ?? reject();
    await this.users.recordLogin(user, network);
    const isRecovery = hasSecondFactor(user) && code !== undefined && !isAppCode(code);
    const admin = { user: toAdmin(user), address, requestId, ...unconditional };
    await this.audit.recordOwn(admin, 'login', isRecovery ? { changes: { recoveryCodeUsed: true } } : {});
    this.logger.log('Logged in', { requestId, userId: String(user._id), address });
    return this.tokens.issue(user);
  }

  /**
   * Changes a user's own password, ends all earlier tokens and returns a new one. A wrong current password counts as a
   * failed login, so that a stolen token does not allow unlimited guesses.
   * @throws ServiceError 40102 if the current password is wrong or changes concurrently, 42902 after too many failures,
   * 40001 if the new password equals the current one
   */
  async changePassword(context: AdminContext, input: ChangePassword): Promise<LoginResponse> {
    const { currentPassword, newPassword } = input;
    if (newPassword === currentPassword)
      throw invalidField('newPassword', 'newPassword must differ from currentPassword');
    const { id, email } = context.user;
    const verify = () => this.findByPassword(id, currentPassword);
    const user = await this.limiter.run(email, addressGroup(context.address), verify);
    if (user === null) throw new ServiceError('invalidLogin', { message: 'The current password is wrong' });
    return this.tokens.issue(await this.users.changePassword(context, user, newPassword));
  }

  /**
   * Sets a user's password with the token that a super admin created, and ends all sessions of the user. A wrong token
   * counts as a failed login of the network.
   * @throws ServiceError 40104 for a wrong, used or expired token, 42902 after too many failures
   */
  async resetPassword({ address, requestId }: AnonymousContext, { token, newPassword }: ResetPassword): Promise<void> {
    const user = await this.limiter.run(token, addressGroup(address), () => this.userRecords.findByResetToken(token));
    if (user === null) throw new ServiceError('resetTokenInvalid');
    const actor = { user: toAdmin(user), address, requestId, ...unconditional };
    await this.users.resetPassword(actor, actor.user.id, newPassword, token);
  }

  /** As `SecondFactorService.create`, with the password, so that a session alone cannot lock its owner out. */
  async createSecondFactor(context: AdminContext, password: string): Promise<SecondFactorResponse> {
    await this.verifyPassword(context, 'createSecondFactor', password);
    return this.secondFactors.create(context);
  }

  /**
   * Confirms the second factor of the current user, ends all earlier tokens and returns a new one.
   * @throws ServiceError 40103 for a wrong code, which counts as a failed login, 42902 after too many failures, 40911 if
   * the second factor is already confirmed, 40912 without its key, 40102 if the earlier tokens ended concurrently
   */
  async confirmSecondFactor(context: AdminContext, code: string): Promise<RecoveryCodesResponse> {
    const confirm = () => this.secondFactors.confirm(context, code);
    const wrong = new ServiceError('secondFactorRejected');
    const { user, recoveryCodes } = await this.verifyOwn(context, 'confirmSecondFactor', wrong, confirm);
    return Object.assign(await this.tokens.issue(user), { recoveryCodes });
  }

  /**
   * Removes the second factor of the current user.
   * @throws ServiceError 40102 for a wrong password and 40103 for a wrong code, which count as failed logins; 42902 after
   * too many failures, 40912 without the key, 40102 if the tokens ended concurrently
   */
  async deleteSecondFactor(context: AdminContext, { password, code }: DeleteSecondFactor): Promise<void> {
    const action = 'deleteSecondFactor';
    const user = await this.verifyPassword(context, action, password);
    if (hasSecondFactor(user)) await this.verifyCode(context, action, code, user);
    await this.secondFactors.remove(context, action, user);
  }

  /**
   * Removes the second factor of another user, and ends all their tokens. The caller's own factor is asked, so that someone
   * with a stolen session or password cannot open the accounts of others.
   * @throws ServiceError 40303 for the caller's own account, 40308 if the caller has no second factor, 40407 for an unknown
   * user, and as `deleteSecondFactor`
   */
  async resetSecondFactor(context: AdminContext, id: string, { password, code }: ResetSecondFactor): Promise<void> {
    const action = 'resetSecondFactor';
    if (context.user.id === id)
      throw new ServiceError('roleForbidden', { message: 'Remove your own second factor in your account' });
    const user = await this.users.get(id);
    const own = await this.verifyPassword(context, action, password);
    if (!hasSecondFactor(own)) throw new ServiceError('secondFactorMissing');
    await this.verifyCode(context, action, code, own);
    await this.secondFactors.remove(context, action, user);
  }

  private verifyCode(context: AdminContext, action: AuditAction, code: string, user: UserRecord): Promise<true> {
    return this.verifyOwn(context, action, new ServiceError('secondFactorRejected'), () => this.useCode(code, user));
  }

  /** Returns null for a wrong code. */
  private useCode(code: string, user: UserRecord): Promise<true | null> {
    const factor = `${String(user._id)} ${String(user.secondFactor?.confirmedAt?.getTime())}`;
    return this.limiter.runCode(factor, async () => (await this.secondFactors.useCode(code, user)) || null);
  }

  private verifyPassword(context: AdminContext, action: AuditAction, password: string): Promise<UserRecord> {
    const wrong = new ServiceError('invalidLogin', { message: 'The password is wrong' });
    return this.verifyOwn(context, action, wrong, () => this.findByPassword(context.user.id, password));
  }

  /** Verifies a password or a code of the current user. A wrong one counts as a failed login and is in the audit log. */
  private async verifyOwn<T>(
    context: AdminContext,
    action: AuditAction,
    rejection: ServiceError,
    verify: () => Promise<T | null>,
  ): Promise<T> {
    const result = await this.limiter.run(context.user.email, addressGroup(context.address), verify);
    if (result !== null) return result;
    await this.audit.recordOwn(context, action, { error: rejection.entry });
    throw rejection;
  }

  /**
   * Returns the user with this email and password, or null if the login is wrong or the user is disabled. Enabled users who
   * recently logged in from this network do not wait for other logins.
   * @param network as returned by `addressGroup`
   */
  async findByLogin(email: string, password: string, network: string): Promise<UserRecord | null> {
    const user = await this.userRecords.findByEmail(email);
    const isKnown = user !== null && !isDisabled(user) && isKnownNetwork(user, network, this.clock.now());
    const hash = user?.passwordHash ?? (await this.dummyHash);
    const isRight = await this.secrets.verifyPassword(hash, password, isKnown ? 'knownNetwork' : 'newNetwork');
    return isRight && user !== null && (await this.organizations.isActiveUser(user)) ? user : null;
  }

  private async findByPassword(id: string, password: string): Promise<UserRecord | null> {
    const user = await this.userRecords.findById(id);
    if (user === null || !(await this.organizations.isActiveUser(user))) return null;
    return (await this.secrets.verifyPassword(user.passwordHash, password, 'admins')) ? user : null;
  }
}
