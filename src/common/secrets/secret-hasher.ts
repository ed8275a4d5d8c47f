import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hashSecret, verifySecret } from './argon2.js';
import { BoundedWork, waitingRoom } from './bounded-work.js';

/** Keys wait in larger number and for longer: after a restart all that are in use are seen for the first time at once. */
export const waitingRooms = { keys: { places: 256, longestWait: 2_400 }, people: waitingRoom };

/**
 * The only way to argon2, which costs about 20 ms of a core and 19 MiB each time: at once run as many as there are cores,
 * but for one that goes on serving everybody else. API keys and people's passwords wait apart.
 */
@Injectable()
export class SecretHasher {
  private readonly work = new BoundedWork(waitingRooms, Math.max(1, availableParallelism() - 1));

  /**
   * The argon2id hash of a new secret, as a PHC string.
   * @throws ServiceError 50302 where too many wait
   */
  hash(secret: string): Promise<string> {
    return this.work.run('people', undefined, () => hashSecret(secret));
  }

  /**
   * True where an API key's secret is the one that was hashed.
   * @throws ServiceError 50302 where too many wait
   */
  verifyKey(hash: string, secret: string, keyPrefix: string): Promise<boolean> {
    return this.work.run('keys', keyPrefix, () => verifySecret(hash, secret));
  }

  /**
   * True where a password is the one that was hashed.
   * @throws ServiceError 50302 where too many wait
   */
  verifyPassword(hash: string, password: string, email: string): Promise<boolean> {
    return this.work.run('people', email, () => verifySecret(hash, password));
  }
}
