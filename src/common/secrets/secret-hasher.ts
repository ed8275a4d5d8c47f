import { availableParallelism } from 'node:os';
import { Global, Injectable, Module } from '@nestjs/common';
import argon2 from 'argon2';
import { BoundedQueue } from './bounded-queue.js';

/** OWASP's second choice for argon2id: 19 MiB, 2 passes, 1 lane; about 20 ms. */
const options = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** First checks of API keys that run at once. One core remains for requests, and libuv's four threads for other lanes. */
const keysAtOnce = Math.min(2, Math.max(1, availableParallelism() - 1));

/** `familiar` are logins from networks from which the account logged in within 30 days, `strangers` all others. */
export type PasswordLane = 'admins' | 'familiar' | 'strangers';

/** Returns the argon2id hash of a secret as a PHC string. */
export async function hashSecret(secret: string): Promise<string> {
  const hash = await argon2.hash(secret, options);
  // The library writes m, p, t; the PHC format of argon2 is m, t, p, and other libraries read no other order.
  return hash.replace(/\$(m=\d+),(p=\d+),(t=\d+)\$/, '$$$1,$3,$2$$');
}

/**
 * The only way to argon2, which takes about 20 ms of a core and 19 MiB each time. Each kind of caller has a queue of its
 * own, so that a flood of wrong logins does not hold up admins or API keys.
 */
@Injectable()
export class SecretHasher {
  private readonly lanes = {
    keys: new BoundedQueue({ concurrency: keysAtOnce, maxPending: 256, maxWait: 2_400 }),
    admins: new BoundedQueue({ concurrency: 1, maxPending: 128, maxWait: 3_500 }),
    familiar: new BoundedQueue({ concurrency: 1, maxPending: 64, maxWait: 2_000 }),
    strangers: new BoundedQueue({ concurrency: 1, maxPending: 16, maxWait: 1_500 }),
  };

  /**
   * Returns the argon2id hash of a new secret as a PHC string.
   * @throws ServiceError 50302 if too many wait
   */
  hash(secret: string): Promise<string> {
    return this.lanes.admins.run(() => hashSecret(secret));
  }

  /**
   * Returns true if an API key's secret matches the hash.
   * @throws ServiceError 50302 if too many wait
   */
  verifyKey(hash: string, secret: string): Promise<boolean> {
    return this.lanes.keys.run(() => argon2.verify(hash, secret));
  }

  /**
   * Returns true if a password matches the hash.
   * @throws ServiceError 50302 if too many wait
   */
  verifyPassword(hash: string, password: string, lane: PasswordLane): Promise<boolean> {
    return this.lanes[lane].run(() => argon2.verify(hash, password));
  }
}

@Global()
@Module({ providers: [SecretHasher], exports: [SecretHasher] })
export class SecretsModule {}
