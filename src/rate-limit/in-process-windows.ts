import type { CountedWindow } from './counted-window.js';

/** By so much a told end differs only where another window is meant: each lasts a second at least. */
const nextWindowMilliseconds = 500;

interface Window {
  hits: number;
  /** By the clock of `milliseconds`. */
  readonly endsAt: number;
  timer: NodeJS.Timeout;
}

/**
 * Windows counted in this process alone: exact here, unknown to other replicas. A window and its timer go when it
 * ends, so the memory holds the keys of one window's length and no more.
 */
export class InProcessWindows {
  private readonly windows = new Map<string, Window>();

  /** Adds one. The window begins with its first hit and is not prolonged by later ones. */
  hit(key: string, windowSeconds: number): CountedWindow {
    const now = milliseconds();
    const last = this.windows.get(key);
    const window = last !== undefined && last.endsAt > now ? last : this.open(key, now + windowSeconds * 1_000);
    window.hits += 1;
    return { hits: window.hits, millisecondsLeft: window.endsAt - now };
  }

  /**
   * Takes over what a window holds that is counted elsewhere, so that hits can be counted on from there. Answers may come
   * in another order than the hits were counted.
   */
  learn(key: string, { hits, millisecondsLeft }: CountedWindow): void {
    const endsAt = milliseconds() + millisecondsLeft;
    const last = this.windows.get(key);
    const isNext = last === undefined || endsAt - last.endsAt > nextWindowMilliseconds;
    const window = isNext ? this.open(key, endsAt) : last;
    window.hits = Math.max(window.hits, hits);
  }

  /** Takes one hit back. Without a hit there is nothing to take; without any left, the window is gone. */
  refund(key: string): void {
    const window = this.windows.get(key);
    if (window === undefined) return;
    window.hits -= 1;
    if (window.hits < 1) this.forget(key, window);
  }

  private open(key: string, endsAt: number): Window {
    const last = this.windows.get(key);
    if (last !== undefined) this.forget(key, last);
    const window: Window = { hits: 0, endsAt, timer: this.ending(key, endsAt) };
    this.windows.set(key, window);
    return window;
  }

  /** Timers may come early, by as long as the process was busy when they were set: then they are set again. */
  private ending(key: string, endsAt: number): NodeJS.Timeout {
    const end = () => {
      const window = this.windows.get(key);
      if (window === undefined) return;
      if (endsAt <= milliseconds()) this.forget(key, window);
      else window.timer = this.ending(key, endsAt);
    };
    return setTimeout(end, endsAt - milliseconds()).unref();
  }

  private forget(key: string, { timer }: Window): void {
    clearTimeout(timer);
    this.windows.delete(key);
  }
}

/** Whole milliseconds of a clock that nobody sets: a window keeps its length when the time of day is put right. */
function milliseconds(): number {
  return Math.floor(performance.now());
}
