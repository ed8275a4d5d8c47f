import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { Metrics } from '../common/metrics/metrics.js';
import { HitCounter } from '../rate-limit/hit-counter.js';
import { SerialWork } from './serial-work.js';

const windowSeconds = 15 * 60;
const perNetwork = 30;
const perEmailAndNetwork = 10;

/** A count of failed logins, and from how many on attempts are refused. */
interface Limit {
  readonly bucket: string;
  readonly key: string;
  readonly failures: number;
}

/**
 * Limits failed logins: of one network, and of one email from one network, so that a stranger cannot lock the owner of an
 * email out elsewhere.
 */
@Injectable()
export class LoginAttempts {
  private readonly byNetwork = new SerialWork();

  constructor(
    private readonly counter: HitCounter,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Makes an attempt and returns what `verify` returns, which is null for a wrong password. Attempts of one network run
   * one after the other: an attempt counts as a failure until it has succeeded, so successful ones at once would
   * otherwise refuse each other.
   * @param network as `addressGroup` names it
   * @throws ServiceError 42902 after too many failures, 50302 if too many attempts of this network wait; whatever `verify`
   * throws
   */
  async attempt<T>(email: string, network: string, verify: () => Promise<T | null>): Promise<T | null> {
    return this.byNetwork.run(network, () => this.countAndVerify(limitsOf(email, network), verify));
  }

  private async countAndVerify<T>(limits: readonly Limit[], verify: () => Promise<T | null>): Promise<T | null> {
    const counted: Limit[] = [];
    let failed = false;
    try {
      for (const limit of limits) {
        const { hits, secondsLeft } = await this.counter.hit(limit.bucket, limit.key, windowSeconds);
        counted.push(limit);
        if (hits > limit.failures) throw this.tooManyFailures(secondsLeft);
      }
      const found = await verify();
      failed = found === null;
      return found;
    } finally {
      // A refused attempt has not failed: if it stayed counted, retries for one email would lock out the whole network.
      if (!failed) for (const { bucket, key } of counted) await this.counter.refund(bucket, key, windowSeconds);
    }
  }

  private tooManyFailures(retryAfterSeconds: number): ServiceError {
    this.metrics.loginLimited();
    return new ServiceError(errorCatalogue.authenticationLimited, {
      message: 'Too many failed logins',
      retryAfterSeconds,
    });
  }
}

function limitsOf(email: string, network: string): readonly Limit[] {
  // A digest is short however long the email is, and does not reveal it to whoever reads Redis.
  const digest = createHash('sha256').update(email).digest('base64url');
  return [
    { bucket: 'login-address', key: network, failures: perNetwork },
    { bucket: 'login-email-address', key: `${network} ${digest}`, failures: perEmailAndNetwork },
  ];
}
