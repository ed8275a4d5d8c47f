import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { UsersService } from '../users/users.service.js';
import type { Login } from './dto/login.request.js';
import type { LoginResponse } from './dto/login.response.js';
import { LoginAttempts } from './login-attempts.js';
import { tokenSeconds, TokensService } from './tokens.service.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersService,
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
    return { accessToken: await this.tokens.issue(user), tokenType: 'Bearer', expiresIn: tokenSeconds };
  }
}
