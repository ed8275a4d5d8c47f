import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { secondsLeft } from '../rate-limit/counted-window.js';
import { RequestCounter } from '../rate-limit/request-counter.js';

const windowSeconds = 15 * 60;
const perAddress = 30;
const perEmailAndAddress = 10;

/**
 * Counts failed logins: an email is limited from each address by itself, so that a stranger cannot lock its owner
 * out from elsewhere.
 */
@Injectable()
export class LoginAttempts {
  /** The last attempt of each address that waits or is looked at, settled without an error. */
  private readonly lastOf = new Map<string, Promise<unknown>>();

  constructor(private readonly counter: RequestCounter) {}

  /**
   * Looks at an attempt; null where it is wrong. It is counted before its password is looked at, so that failures at
   * once are counted exactly, and taken back unless it was wrong. Attempts from one address follow each other: else
   * right ones at once would stand in each other's way.
   * @throws ServiceError 42902 where too many failed before; whatever `look` throws
   */
  async attempt<T>(email: string, address: string, look: () => Promise<T | null>): Promise<T | null> {
    return this.inTurn(address, async () => {
      await this.count(email, address);
      let wrong = false;
      try {
        const found = await look();
        wrong = found === null;
        return found;
      } finally {
        if (!wrong) await this.takeBack(limitsOf(email, address));
      }
    });
  }

  private async inTurn<T>(address: string, step: () => Promise<T>): Promise<T> {
    const turn = (this.lastOf.get(address) ?? Promise.resolve()).then(step);
    const settled = turn.catch(() => undefined);
    this.lastOf.set(address, settled);
    try {
      return await turn;
    } finally {
      if (this.lastOf.get(address) === settled) this.lastOf.delete(address);
    }
  }

  private async count(email: string, address: string): Promise<void> {
    const counted: Limit[] = [];
    for (const limited of limitsOf(email, address)) {
      counted.push(limited);
      const window = await this.counter.hit(limited.bucket, limited.key, windowSeconds);
      if (window.hits <= limited.limit) continue;
      // A refused attempt has not failed: counted on, the retries for one email would lock out the whole address.
      await this.takeBack(counted);
      throw new ServiceError(errorCatalogue.authenticationLimited, {
        message: 'Too many failed logins',
        retryAfterSeconds: secondsLeft(window),
      });
    }
  }

  private async takeBack(counted: readonly Limit[]): Promise<void> {
    for (const { bucket, key } of counted) await this.counter.refund(bucket, key, windowSeconds);
  }
}

interface Limit {
  readonly bucket: string;
  readonly key: string;
  readonly limit: number;
}

function limitsOf(email: string, address: string): Limit[] {
  return [
    { bucket: 'login-address', key: address, limit: perAddress },
    { bucket: 'login-email', key: `${address} ${email}`, limit: perEmailAndAddress },
  ];
}
