import { Injectable } from '@nestjs/common';
import type { AdminContext } from '../common/context/request-context.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { invalidField, ServiceError } from '../common/errors/service-error.js';
import { PasswordsService } from '../users/passwords.service.js';
import type { UserRecord } from '../users/user.schema.js';
import { ActiveUsers } from './active-users.js';
import type { ChangePassword } from './dto/change-password.request.js';
import type { Login } from './dto/login.request.js';
import type { LoginResponse } from './dto/login.response.js';
import { LoginAttempts } from './login-attempts.js';
import { tokenSeconds, TokensService } from './tokens.service.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly users: ActiveUsers,
    private readonly passwords: PasswordsService,
    private readonly tokens: TokensService,
    private readonly attempts: LoginAttempts,
  ) {}

  /**
   * Logs a user in from a client's address.
   * @throws ServiceError 40102 for a wrong email or password, 42902 after too many of them
   */
  async login({ email, password }: Login, address: string): Promise<LoginResponse> {
    const user = await this.attempts.attempt(email, address, () => this.users.findByLogin(email, password));
    if (user === null) {
      throw new ServiceError(errorCatalogue.invalidLogin, { message: 'The email or the password is wrong' });
    }
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
    const { email } = context.user;
    const look = () => this.users.findByLogin(email, currentPassword);
    const user = await this.attempts.attempt(email, context.address, look);
    if (user === null) {
      throw new ServiceError(errorCatalogue.invalidLogin, { message: 'The current password is wrong' });
    }
    return this.loginOf(await this.passwords.change(context, user, newPassword));
  }

  private async loginOf(user: UserRecord): Promise<LoginResponse> {
    return { accessToken: await this.tokens.issue(user), tokenType: 'Bearer', expiresIn: tokenSeconds };
  }
}
