import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { addressGroup } from '../common/http/client-address.js';
import { secondsLeft } from '../rate-limit/counted-window.js';
import { RequestCounter } from '../rate-limit/request-counter.js';
import { PacedTurns } from './paced-turns.js';

const windowSeconds = 15 * 60;
const perAddress = 30;
const perEmailAndAddress = 10;
/** After so many failures for one email from all addresses together, attempts for it take turns. */
const perEmail = 20;
/** Who waits longest is still answered before a request's deadline. */
const pace = { milliseconds: 1_000, waiting: 3 } as const;

/**
 * Counts failed logins. An email is limited from each address by itself, so that a stranger cannot lock its owner out
 * from elsewhere; strangers at many addresses get no more than one guess a second, and the owner waits in line.
 */
@Injectable()
export class LoginAttempts {
  /** The last attempt of each address that waits or is looked at, settled without an error. */
  private readonly lastOf = new Map<string, Promise<unknown>>();
  private readonly turns = new PacedTurns(pace);

  constructor(private readonly counter: RequestCounter) {}

  /**
   * Looks at an attempt; null where it is wrong. It is counted before its password is looked at, so that failures at
   * once are counted exactly, and taken back unless it was wrong. Attempts from one address follow each other: else
   * right ones at once would stand in each other's way.
   * @throws ServiceError 42902 where too many failed before; whatever `look` throws
   */
  async attempt<T>(email: string, address: string, look: () => Promise<T | null>): Promise<T | null> {
    const group = addressGroup(address);
    const name = fingerprintOf(email);
    const counts: Count[] = [
      { bucket: 'login-address', key: group, refuseBeyond: perAddress },
      { bucket: 'login-email-address', key: `${group} ${name}`, refuseBeyond: perEmailAndAddress },
      { bucket: 'login-email', key: name, slowBeyond: perEmail },
    ];
    return this.inTurn(group, async () => {
      const counted: Count[] = [];
      let wrong = false;
      try {
        for (const count of counts) await this.count(count, counted);
        const found = await look();
        wrong = found === null;
        return found;
      } finally {
        // A refused attempt has not failed: counted on, the retries for one email would lock out the whole address.
        if (!wrong) for (const { bucket, key } of counted) await this.counter.refund(bucket, key, windowSeconds);
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

  private async count(count: Count, counted: Count[]): Promise<void> {
    const window = await this.counter.hit(count.bucket, count.key, windowSeconds);
    counted.push(count);
    if (window.hits > (count.refuseBeyond ?? Infinity)) throw tooMany(secondsLeft(window));
    if (window.hits > (count.slowBeyond ?? Infinity) && !(await this.turns.take(count.key))) {
      // Those who wait are through by then.
      throw tooMany((pace.milliseconds * pace.waiting) / 1_000);
    }
  }
}

/** One of the counts that an attempt adds to, and from which hit on it is refused, or waits for its turn. */
interface Count {
  readonly bucket: string;
  readonly key: string;
  readonly refuseBeyond?: number;
  readonly slowBeyond?: number;
}

function tooMany(retryAfterSeconds: number): ServiceError {
  return new ServiceError(errorCatalogue.authenticationLimited, {
    message: 'Too many failed logins',
    retryAfterSeconds,
  });
}

/** An email as counters and lines know it: short, however long it is, and nobody's address for whoever reads Redis. */
function fingerprintOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}
