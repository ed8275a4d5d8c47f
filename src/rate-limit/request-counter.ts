import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { CircuitBreaker } from './circuit-breaker.js';
import type { CountedWindow } from './counted-window.js';
import { InProcessWindows } from './in-process-windows.js';
import { SharedWindows } from './shared-windows.js';

/** The longest window, in seconds: a day. */
const longestWindowSeconds = 86_400;

/** A line for the log. */
type Log = (message: string, details: Readonly<Record<string, unknown>>) => void;

/** What a counter needs. */
export interface RequestCounterOptions {
  /** `redis://` or `rediss://`; without it, hits are counted in this process. */
  readonly redisUrl?: string | undefined;
  /** Told once for each outage of Redis, with the `reason`. */
  readonly warn: Log;
  /** Told when an outage is over, with `outageMs`. */
  readonly info: Log;
}

/**
 * Counts hits in windows that begin with the first hit. With Redis the count is one for all replicas that share it;
 * while Redis is away or hangs, hits are counted on in this process from what Redis said last, so that one late answer does
 * not begin a used-up window anew, and no caller waits longer than about 40 ms.
 */
@Injectable()
export class RequestCounter implements OnModuleInit, OnApplicationShutdown {
  private readonly inProcess = new InProcessWindows();
  private readonly breaker: CircuitBreaker;
  private shared: SharedWindows | undefined;

  /** Throws for a `redisUrl` that is no URL of Redis. */
  constructor(options: RequestCounterOptions) {
    this.shared = options.redisUrl === undefined ? undefined : new SharedWindows(options.redisUrl);
    this.breaker = new CircuitBreaker({
      began: (reason) => options.warn('Redis does not answer: requests are counted in this process', { reason }),
      ended: (outageMs) => options.info('Redis answers again: requests are counted together', { outageMs }),
    });
  }

  /** Connects to Redis, if there is one; its absence holds up the start for a second at most. */
  async onModuleInit(): Promise<void> {
    await this.askShared((shared) => shared.open());
  }

  /** Ends the connection. Hits after it are counted in this process. */
  onApplicationShutdown(): void {
    this.shared?.close();
    this.shared = undefined;
  }

  /**
   * Adds one hit, atomically, and answers what its window holds with it.
   *
   * @param bucket what is counted, without a colon (`teams`, `login`)
   * @param key who is counted (an id, an address); the caller bounds its length
   * @param windowSeconds whole seconds, 1 to 86,400; other numbers are a mistake in the code and a RangeError
   */
  async hit(bucket: string, key: string, windowSeconds: number): Promise<CountedWindow> {
    const name = windowName(bucket, key, windowSeconds);
    const counted = await this.askShared((shared) => shared.hit(name, windowSeconds));
    if (counted === undefined) return this.inProcess.hit(name, windowSeconds);
    this.inProcess.learn(name, windowSeconds, counted.answer);
    return counted.answer;
  }

  /**
   * Takes one hit back, as if it had not been counted; a count never falls below zero. Ask it only after a `hit`
   * with the same arguments: it is taken from the store that answers now, even if the other one counted the hit.
   */
  async refund(bucket: string, key: string, windowSeconds: number): Promise<void> {
    const name = windowName(bucket, key, windowSeconds);
    await this.askShared((shared) => shared.refund(name, windowSeconds));
    this.inProcess.refund(name);
  }

  /**
   * Whether Redis answers at this moment; `none` where there is none. It is asked, so that the end of an outage is seen
   * without requests, too. Never rejects, and takes no longer than about 40 ms.
   */
  async redisState(): Promise<'none' | 'answering' | 'away'> {
    if (this.shared === undefined) return 'none';
    await this.askShared((shared) => shared.ping());
    return this.breaker.isBroken ? 'away' : 'answering';
  }

  /** Redis' answer, or undefined when there is none, it must not be asked now, or it failed. Never rejects. */
  private async askShared<T>(ask: (shared: SharedWindows) => Promise<T>): Promise<{ answer: T } | undefined> {
    const { shared } = this;
    if (shared === undefined || !this.breaker.mayAsk()) {
      return undefined;
    }
    try {
      const answer = await ask(shared);
      this.breaker.succeeded();
      return { answer };
    } catch (error) {
      // Whoever still waits while we close the connection ourselves has met no outage.
      if (this.shared !== undefined) {
        this.breaker.failed(error instanceof Error ? error.message : String(error));
      }
      return undefined;
    }
  }
}

/** One name for each window; its length is a part, so that a changed one does not meet the old count. */
function windowName(bucket: string, key: string, windowSeconds: number): string {
  if (!Number.isInteger(windowSeconds) || windowSeconds < 1 || windowSeconds > longestWindowSeconds) {
    throw new RangeError(`A window has 1 to ${longestWindowSeconds} whole seconds, not ${windowSeconds}`);
  }
  return `${bucket}:${windowSeconds}:${key}`;
}
