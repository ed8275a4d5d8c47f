import { Injectable } from '@nestjs/common';
import { errorCatalogue } from '../common/errors/error-catalogue.js';
import { ServiceError } from '../common/errors/service-error.js';
import { secondsLeft } from '../rate-limit/counted-window.js';
import { RequestCounter } from '../rate-limit/request-counter.js';
import { PacedTurns } from './paced-turns.js';

const daySeconds = 86_400;
const windowSeconds = 15 * 60;
/** So many attempts for one email may come to the line from one address, whether they got a place or not. */
const perEmailAndAddress = 10;

/** Who tries to log in, as the counters know them: from where, and a fingerprint of the email. */
export interface LoginClient {
  readonly group: string;
  readonly name: string;
}

/**
 * The line in which attempts for an attacked email take turns. Where its owner logged in before, nobody stands in line;
 * every other address comes to it a few times only, so that a flood uses up the addresses that it has.
 */
@Injectable()
export class LoginLine {
  constructor(
    private readonly counter: RequestCounter,
    private readonly turns: PacedTurns,
  ) {}

  /** True where this email was logged in to from this address within a day: its attempts need no turn. */
  async isKnown(client: LoginClient): Promise<boolean> {
    // A count can be asked only by adding to it: what is added is taken back, so that asking makes nobody known.
    const { hits } = await this.counter.hit('login-known', keyOf(client), daySeconds);
    await this.counter.refund('login-known', keyOf(client), daySeconds);
    return hits > 1;
  }

  /**
   * Waits for a turn. The attempt is counted whether it gets one or not: else few addresses could keep the line full.
   * @throws ServiceError 42902 where too many came from this address, or too many wait
   */
  async wait(client: LoginClient): Promise<void> {
    const window = await this.counter.hit('login-line', keyOf(client), windowSeconds);
    if (window.hits > perEmailAndAddress) throw tooManyFailedLogins(secondsLeft(window));
    // Those who wait are through by then.
    if (!(await this.turns.take(client.name))) throw tooManyFailedLogins(this.turns.longestWaitSeconds);
  }

  /** Keeps for a day that a login was right; its coming to the line, if it did, is forgotten. */
  async welcome(client: LoginClient, waited: boolean): Promise<void> {
    // A window is not prolonged by later hits: without the one that is there, if it is, a new one begins.
    await this.counter.refund('login-known', keyOf(client), daySeconds);
    await this.counter.hit('login-known', keyOf(client), daySeconds);
    if (waited) await this.counter.refund('login-line', keyOf(client), windowSeconds);
  }
}

/** The refusal of an attempt to log in, with the seconds until the next one makes sense. */
export function tooManyFailedLogins(retryAfterSeconds: number): ServiceError {
  return new ServiceError(errorCatalogue.authenticationLimited, {
    message: 'Too many failed logins',
    retryAfterSeconds,
  });
}

/** The email, from this address alone. */
export function keyOf({ group, name }: LoginClient): string {
  return `${group} ${name}`;
}
