import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import { Metrics } from '../../observability/metrics.js';
import { BoundedQueue } from '../../access/bounded-queue.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';

const windowSeconds = 15 * 60;
const weekSeconds = 7 * 24 * 60 * 60;
const failuresPerNetwork = 30;
const failuresPerEmailAndNetwork = 10;
const wrongCodesPerUser = 30;
/** Guesses a code with a chance of 1.6 % per year, as three codes are accepted at a time. */
const wrongCodesPerUserAndWeek = 100;
/** Waiting attempts hold slots of the concurrency limit, so only a few may wait. */
const queueLimits = { running: Infinity, waiting: 16, maxWait: 1_500 };

interface Limit {
  readonly bucket: string;
  readonly key: string;
  readonly failures: number;
  readonly seconds: number;
}

/** Limits failed logins by network, and by email and network, so that failures elsewhere cannot lock an account. */
@Injectable()
export class LoginLimiter {
  private readonly queue = new BoundedQueue(queueLimits);

  constructor(
    private readonly counter: HitCounter,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Returns the result of `verify`, which is null for a wrong password or token. An attempt is counted before it is
   * verified, so that concurrent attempts cannot exceed the limit, and refunded unless it failed. Attempts from one
   * network run one after another, as concurrent correct ones would otherwise reject each other.
   * @param account the email of the user, or the token that replaces it
   * @param network as returned by `addressGroup`
   * @throws ServiceError 42902 after too many failures, 50302 if too many attempts are queued; any error of `verify`
   */
  run<T>(account: string, network: string, verify: () => Promise<T | null>): Promise<T | null> {
    // A digest is short and does not reveal the email to readers of Redis.
    const digest = hash('sha256', account, 'base64url');
    const limits = [
      { bucket: 'login-network', key: network, failures: failuresPerNetwork },
      { bucket: 'login-network-and-email', key: `${network} ${digest}`, failures: failuresPerEmailAndNetwork },
    ].map((limit) => ({ ...limit, seconds: windowSeconds }));
    return this.queue.run(() => this.countAndVerify(limits, verify), network);
  }

  /**
   * Returns the result of `verify`, which is null for a wrong code of the second factor. Counts wrong codes from all
   * networks, because six digits could be guessed from many. They lock out only an account whose password is known.
   * @param factor the user and when they set it up, so that a reset ends the lockout
   * @throws ServiceError 42902 after too many wrong codes; any error of `verify`
   */
  runCode<T>(factor: string, verify: () => Promise<T | null>): Promise<T | null> {
    const common = { bucket: 'login-code', key: factor };
    const limits = [
      { ...common, failures: wrongCodesPerUser, seconds: windowSeconds },
      { ...common, failures: wrongCodesPerUserAndWeek, seconds: weekSeconds },
    ];
    return this.countAndVerify(limits, verify);
  }

  private async countAndVerify<T>(limits: readonly Limit[], verify: () => Promise<T | null>): Promise<T | null> {
    const counted: Limit[] = [];
    let failed = false;
    try {
      for (const limit of limits) {
        const { hits, secondsLeft } = await this.counter.hit(limit.bucket, limit.key, limit.seconds);
        counted.push(limit);
        if (hits > limit.failures) {
          this.metrics.countRateLimited('logins');
          const message = 'Too many failed logins';
          throw new ServiceError('authenticationLimited', { message, retryAfterSeconds: secondsLeft });
        }
      }
      const found = await verify();
      failed = found === null;
      return found;
    } finally {
      // A rejected attempt is not a failure: otherwise retries for one email would lock out the whole network.
      if (!failed) for (const { bucket, key, seconds } of counted) await this.counter.refund(bucket, key, seconds);
    }
  }
}
