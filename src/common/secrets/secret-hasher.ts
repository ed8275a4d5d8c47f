import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hashSecret, verifySecret } from './argon2.js';
import { BoundedWork, type LaneLimits } from './bounded-work.js';

/**
 * Who waits for argon2 with whom:
 * - `keys`: first checks of API keys. After a restart, all keys in use are checked for the first time at once.
 * - `admins`: whatever an authenticated admin does.
 * - `familiar`: logins from networks from which the account logged in lately, grouped by account.
 * - `strangers`: all other logins, grouped by network. One core checks these 16 passwords in about 0.4 s.
 */
export const hashingLanes = {
  keys: { waiting: 256, waitingPerGroup: 16, longestWait: 2_400 },
  admins: { waiting: 128, waitingPerGroup: 16, longestWait: 2_000 },
  familiar: { waiting: 64, waitingPerGroup: 4, longestWait: 2_000 },
  strangers: { waiting: 16, waitingPerGroup: 2, longestWait: 1_500 },
} as const satisfies Record<string, LaneLimits>;

/** Whose password is verified: an admin with a token, or somebody who logs in. */
export interface PasswordClient {
  readonly lane: 'admins' | 'familiar' | 'strangers';
  /** The account, or the network of a stranger. */
  readonly group: string;
}

/**
 * The only way to argon2, which costs about 20 ms of a core and 19 MiB each time. As many run at once as there are cores
 * less one, which keeps serving all other requests.
 */
@Injectable()
export class SecretHasher {
  private readonly work = new BoundedWork(hashingLanes, Math.max(1, availableParallelism() - 1));

  /**
   * Returns the argon2id hash of a new secret, as a PHC string.
   * @param userId who is limited in how many wait; undefined for super admins and this server
   * @throws ServiceError 50302 if too many wait
   */
  hash(secret: string, userId?: string): Promise<string> {
    return this.work.run('admins', userId, () => hashSecret(secret));
  }

  /**
   * Returns true if an API key's secret is the one that was hashed.
   * @throws ServiceError 50302 if too many wait
   */
  verifyKey(hash: string, secret: string, keyPrefix: string): Promise<boolean> {
    return this.work.run('keys', keyPrefix, () => verifySecret(hash, secret));
  }

  /**
   * Returns true if a password is the one that was hashed.
   * @throws ServiceError 50302 if too many wait
   */
  verifyPassword(hash: string, password: string, { lane, group }: PasswordClient): Promise<boolean> {
    return this.work.run(lane, group, () => verifySecret(hash, password));
  }
}
