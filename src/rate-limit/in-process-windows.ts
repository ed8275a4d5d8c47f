import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { CountedWindow } from './counted-window.js';

/**
 * Windows counted in this process alone: exact here, unknown to other replicas. A window and its timer go when it
 * ends, so the memory holds the keys of one window's length and no more.
 */
export class InProcessWindows {
  // `penalty` only adds, it never refuses, so `points` (the limit of the library) has no meaning here.
  private readonly limiter = new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: '' });
  private lastTurn: Promise<unknown> = Promise.resolve();

  /** Adds one. The window begins with its first hit and is not prolonged by later ones. */
  hit(key: string, windowSeconds: number): Promise<CountedWindow> {
    return this.inTurn(async () => {
      const window = await this.limiter.penalty(key, 1, { customDuration: windowSeconds });
      return { hits: window.consumedPoints, millisecondsLeft: window.msBeforeNext };
    });
  }

  /** Takes one hit back. Without a hit there is nothing to take; without any left, the window is gone. */
  refund(key: string): Promise<void> {
    return this.inTurn(async () => {
      const window = await this.limiter.reward(key, 1, { customDuration: 1 });
      // Without a hit the library opens a window of minus one; and an empty one has no first hit to begin with.
      if (window.consumedPoints < 1) {
        await this.limiter.delete(key);
      }
    });
  }

  /** Taking back is two steps of the library, and nobody may count between them: one after the other. */
  private inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.lastTurn.then(step, step);
    this.lastTurn = turn;
    return turn;
  }
}
