import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { AdminContext, Author } from '../common/context/request-context.js';
import { isDisabled } from './account-update.js';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { SecretHasher } from '../common/secrets/secret-hasher.js';
import { endingTokens } from './token-generation.js';
import { UserWriter } from './user-writer.js';
import type { UserRecord } from './user.schema.js';

/** Gives users new passwords; every token of before is dead then. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly writer: UserWriter,
    private readonly secrets: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes a user's own password.
   * @param user as read when the current password was looked at: of two changes at once the first one counts
   * @throws ServiceError 40102 where the password was changed, or the user disabled, meanwhile
   */
  async change(context: AdminContext, user: UserRecord, password: string): Promise<UserRecord> {
    const passwordHash = await this.secrets.hash(password);
    return this.writer.change(context, 'changePassword', String(user._id), (current) => {
      if (current.passwordHash !== user.passwordHash || isDisabled(current)) {
        throw new ServiceError(errorCatalogue.invalidLogin, {
          message: 'The password was changed at the same moment; log in again',
        });
      }
      return this.withHash(current, passwordHash);
    });
  }

  /**
   * Sets a user's password, whatever it was. Who is disabled stays so.
   * @throws ServiceError 40407
   */
  async reset(author: Author, userId: string, password: string): Promise<void> {
    const passwordHash = await this.secrets.hash(password);
    await this.writer.change(author, 'resetPassword', userId, (current) => this.withHash(current, passwordHash));
  }

  private withHash(user: UserRecord, passwordHash: string) {
    return { stored: { passwordHash, ...endingTokens(user), updatedAt: this.clock.now() } };
  }
}
