import { Injectable, Logger } from '@nestjs/common';
import type { Actor, AdminContext } from '../../access/request-context.js';
import { Clock } from '../../config/clock.js';
import { Configuration, StartError } from '../../config/configuration.js';
import { ServiceError } from '../../errors/service-error.js';
import { createRecoveryCodes, createSecret, decryptSecret, deriveKey, encryptSecret } from './second-factor.rules.js';
import { hashRecoveryCode, isAppCode, stepOf, uriOf } from './second-factor.rules.js';
import { assertSameGeneration, hasSecondFactor } from './user.rules.js';
import type { SecondFactor, UserRecord } from './user.schema.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Sets up, checks and removes second factors. */
@Injectable()
export class SecondFactorService {
  private readonly logger = new Logger('Users');
  private readonly keys = this.configuration.secondFactor.keys.map(deriveKey);

  constructor(
    private readonly users: UsersService,
    private readonly repository: UsersRepository,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a secret for the current user. It has no effect until it is confirmed, and replaces one that is not.
   * @throws ServiceError 40911 if the user already has a second factor, 40912 without a key
   */
  async create(context: AdminContext): Promise<{ secret: string; uri: string }> {
    const { id, email } = context.user;
    const secret = createSecret();
    const secondFactor = { ...this.encrypt(secret, id), lastStep: 0, recoveryCodes: [] };
    await this.users.change(context, 'createSecondFactor', id, (user) => {
      assertNone(user);
      return { stored: { secondFactor, updatedAt: this.clock.now() } };
    });
    return { secret, uri: uriOf(secret, email) };
  }

  /**
   * Confirms the secret with a first code, and ends all tokens of the user.
   * @returns null if the code is wrong or there is no secret
   * @throws ServiceError 40911 if the second factor is already confirmed, 40912 without its key, 40102 if the user's tokens
   * end concurrently
   */
  async confirm(context: AdminContext, code: string): Promise<{ user: UserRecord; recoveryCodes: string[] } | null> {
    const user = await this.users.get(context.user.id);
    assertNone(user);
    const { secondFactor } = user;
    const lastStep = this.stepOf(code, user);
    if (secondFactor === undefined || lastStep === undefined) return null;
    const codes = createRecoveryCodes();
    const now = this.clock.now();
    const confirmed = { ...secondFactor, lastStep, confirmedAt: now, recoveryCodes: codes.map(hashRecoveryCode) };
    const changed = await this.users.change(context, 'confirmSecondFactor', context.user.id, (current) => {
      assertNone(current);
      assertSameGeneration(current, user);
      const tokenGeneration = current.tokenGeneration + 1;
      return { stored: { secondFactor: confirmed, tokenGeneration, updatedAt: now } };
    });
    return { user: changed, recoveryCodes: codes };
  }

  /**
   * Returns whether a code of the app or a recovery code is right, and uses it up.
   * @throws ServiceError 40912 without the key
   */
  async useCode(code: string, user: UserRecord): Promise<boolean> {
    if (!isAppCode(code)) return this.repository.useRecoveryCode(hashRecoveryCode(code), user);
    const step = this.stepOf(code, user);
    return step !== undefined && this.repository.useCodesUpTo(step, user);
  }

  /**
   * Removes the second factor of a user; on behalf of an operator, it also ends all tokens of the user.
   * @param user as read when password and code were verified
   * @throws ServiceError 40102 if the password changed or a second factor was confirmed since then
   */
  async remove(actor: Actor, action: 'deleteSecondFactor' | 'resetSecondFactor', user: UserRecord): Promise<void> {
    await this.users.change(actor, action, String(user._id), (current) => {
      assertSameGeneration(current, user);
      if (current.secondFactor === undefined) return undefined;
      const ended = action === 'resetSecondFactor' ? { tokenGeneration: current.tokenGeneration + 1 } : {};
      return { stored: { secondFactor: null, updatedAt: this.clock.now(), ...ended } };
    });
  }

  /**
   * Encrypts the secrets again that SECOND_FACTOR_KEY_SECONDARY encrypted.
   * @throws StartError in production if secrets remain that no key decrypts
   */
  async updateEncryption(): Promise<void> {
    let unreadable = 0;
    for (const { _id, secondFactor } of await this.repository.findEncryptedOtherwise(this.keys[0]?.id ?? '')) {
      if (secondFactor === undefined) continue;
      const secret = this.decrypt(secondFactor, String(_id));
      if (secret === undefined) unreadable++;
      else await this.repository.updateEncryption(_id, secondFactor, this.encrypt(secret, String(_id)));
    }
    if (unreadable === 0) return;
    const message = `SECOND_FACTOR_KEY or SECOND_FACTOR_KEY_SECONDARY must be the key that encrypted the second factors of ${unreadable} users; set it, or reset them with "npm run admin -- reset-second-factor <email>"`;
    if (this.configuration.production) throw new StartError(message);
    this.logger.warn(message);
  }

  private stepOf(code: string, { _id, secondFactor }: UserRecord): number | undefined {
    if (secondFactor === undefined) return undefined;
    const secret = this.decrypt(secondFactor, String(_id));
    if (secret === undefined) throw new ServiceError('secondFactorUnavailable');
    return stepOf(code, secret, this.clock.now());
  }

  private encrypt(secret: string, userId: string): Pick<SecondFactor, 'secret' | 'keyId'> {
    const [key] = this.keys;
    if (key === undefined) throw new ServiceError('secondFactorUnavailable');
    return { secret: encryptSecret(secret, key, userId), keyId: key.id };
  }

  private decrypt({ secret, keyId }: SecondFactor, userId: string): string | undefined {
    const key = this.keys.find(({ id }) => id === keyId);
    return key && decryptSecret(secret, key, userId);
  }
}

/** @throws ServiceError 40911 */
function assertNone(user: UserRecord): void {
  if (hasSecondFactor(user)) throw new ServiceError('secondFactorExists');
}
