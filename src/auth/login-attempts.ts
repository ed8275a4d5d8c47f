import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { addressGroup } from '../common/http/client-address.js';
import { Metrics } from '../common/metrics/metrics.js';
import { secondsLeft } from '../rate-limit/counted-window.js';
import { RequestCounter } from '../rate-limit/request-counter.js';
import { keyOf, type LoginClient, LoginLine, tooManyFailedLogins } from './login-line.js';
import { SerialWork } from './serial-work.js';

const windowSeconds = 15 * 60;
const perAddress = 30;
const perEmailAndAddress = 10;
/** After so many failures for one email from all addresses together, attempts for it take turns. */
const perEmail = 20;

/** An attempt that needs a turn first. */
const needsTurn = Symbol('needs a turn');

/**
 * Counts failed logins. An email is limited from each address by itself, so that a stranger cannot lock its owner out
 * from elsewhere. After many failures from all addresses together, strangers get no more than one guess a second on
 * each server; the owner is not held up where they logged in within a day, and elsewhere stands in line with them.
 */
@Injectable()
export class LoginAttempts {
  private readonly byAddress = new SerialWork();

  constructor(
    private readonly counter: RequestCounter,
    private readonly line: LoginLine,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Looks at an attempt; null where it is wrong. It is counted before its password is looked at, so that failures at
   * once are counted exactly, and taken back unless it was wrong. Attempts from one address follow each other: else
   * right ones at once would stand in each other's way.
   * @throws ServiceError 42902 where too many failed before, 50302 where too many attempts from this address wait;
   * whatever `look` throws
   */
  async attempt<T>(email: string, address: string, look: () => Promise<T | null>): Promise<T | null> {
    try {
      return await this.attemptInTurn(email, address, look);
    } catch (error) {
      if (error instanceof ServiceError && error.entry === errorCatalogue.authenticationLimited) {
        this.metrics.loginLimited();
      }
      throw error;
    }
  }

  private async attemptInTurn<T>(email: string, address: string, look: () => Promise<T | null>): Promise<T | null> {
    const client = { group: addressGroup(address), name: fingerprintOf(email) };
    const attempt = (hasTurn: boolean) => this.byAddress.run(client.group, () => this.judge(client, hasTurn, look));
    let outcome = await attempt(false);
    while (outcome === needsTurn) {
      // Nobody else at this address waits meanwhile.
      await this.line.wait(client);
      outcome = await attempt(true);
    }
    return outcome;
  }

  private async judge<T>(client: LoginClient, hasTurn: boolean, look: () => Promise<T | null>) {
    const counted: Count[] = [];
    let wrong = false;
    try {
      const slow = await this.count(client, counted);
      if (slow && !hasTurn && !(await this.line.isKnown(client))) return needsTurn;
      const found = await look();
      wrong = found === null;
      if (!wrong) await this.line.welcome(client, hasTurn);
      return found;
    } finally {
      // A refused attempt has not failed: counted on, the retries for one email would lock out the whole address.
      if (!wrong) for (const { bucket, key } of counted) await this.counter.refund(bucket, key, windowSeconds);
    }
  }

  /** True where attempts for this email take turns. */
  private async count(client: LoginClient, counted: Count[]): Promise<boolean> {
    let slow = false;
    for (const count of countsOf(client)) {
      const window = await this.counter.hit(count.bucket, count.key, windowSeconds);
      counted.push(count);
      if (window.hits > (count.refuseBeyond ?? Infinity)) throw tooManyFailedLogins(secondsLeft(window));
      slow = window.hits > (count.slowBeyond ?? Infinity);
    }
    return slow;
  }
}

/** One of the counts that an attempt adds to, and from which hit on it is refused, or needs a turn. */
interface Count {
  readonly bucket: string;
  readonly key: string;
  readonly refuseBeyond?: number;
  readonly slowBeyond?: number;
}

/** The one that slows comes last: what is refused must not slow. */
function countsOf(client: LoginClient): readonly Count[] {
  return [
    { bucket: 'login-address', key: client.group, refuseBeyond: perAddress },
    { bucket: 'login-email-address', key: keyOf(client), refuseBeyond: perEmailAndAddress },
    { bucket: 'login-email', key: client.name, slowBeyond: perEmail },
  ];
}

/** An email as counters and lines know it: short, however long it is, and nobody's address for whoever reads Redis. */
function fingerprintOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}
