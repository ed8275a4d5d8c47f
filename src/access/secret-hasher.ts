import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import argon2 from 'argon2';
import pLimit from 'p-limit';
import { BoundedQueue } from './bounded-queue.js';

/** OWASP's recommendation for argon2id: 19 MiB, 2 passes, 1 lane; about 20 ms. */
const options = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Concurrent first checks of API keys. Leaves one core for requests. */
const keyConcurrency = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Leaves one of libuv's four threads free for files and name look-ups. */
const maxThreads = 3;

/** `knownNetwork`: logins from networks where the user logged in within 30 days. `newNetwork`: all other logins. */
type PasswordQueue = 'admins' | 'knownNetwork' | 'newNetwork';

/** Returns the argon2id hash of a secret as a PHC string. */
export async function hashSecret(secret: string): Promise<string> {
  const hash = await argon2.hash(secret, options);
  // The library writes m, p, t; other libraries only accept the standard order m, t, p.
  return hash.replace(/\$(m=\d+),(p=\d+),(t=\d+)\$/, '$$$1,$3,$2$$');
}

/**
 * Hashes and verifies secrets with argon2, which takes about 20 ms of one core and 19 MiB per call. Each kind of caller
 * has its own queue, so that a flood of failed logins does not delay admins or API keys. A full one rejects with 50302.
 */
@Injectable()
export class SecretHasher {
  private readonly queues = {
    keys: new BoundedQueue({ running: keyConcurrency, waiting: 256, maxWait: 2_400 }),
    admins: new BoundedQueue({ running: 1, waiting: 256, maxWait: 3_500 }),
    knownNetwork: new BoundedQueue({ running: 1, waiting: 128, maxWait: 2_000 }),
    // Short: waiting logins hold slots of the concurrency limit, which logins from known networks also need.
    newNetwork: new BoundedQueue({ running: 1, waiting: 16, maxWait: 1_500 }),
  };
  private readonly threads = pLimit(maxThreads);

  /** Returns the argon2id hash of a new secret as a PHC string, in NFC: keyboards send the same letters in different forms. */
  hash(secret: string): Promise<string> {
    return this.queues.admins.run(() => this.threads(() => hashSecret(secret.normalize('NFC'))));
  }

  /** Returns true if an API key's secret matches the hash. Keys take turns by `keyPrefix`. */
  verifyKey(keyPrefix: string, hash: string, secret: string): Promise<boolean> {
    return this.queues.keys.run(() => this.threads(() => argon2.verify(hash, secret)), keyPrefix);
  }

  /** Returns true if a password matches the hash, in NFC or, as an old hash can be, as it was sent. */
  async verifyPassword(hash: string, password: string, queue: PasswordQueue): Promise<boolean> {
    const verify = (form: string) => this.queues[queue].run(() => this.threads(() => argon2.verify(hash, form)));
    const normalized = password.normalize('NFC');
    return (await verify(normalized)) || (normalized !== password && (await verify(password)));
  }
}
