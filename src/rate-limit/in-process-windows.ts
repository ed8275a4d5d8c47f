import type { CountedWindow } from './counted-window.js';

interface Window {
  hits: number;
  /** By the clock of `milliseconds`. */
  endsAt: number;
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
   * Takes over what a window holds that is counted elsewhere, so that hits can be counted on from there. Answers come late,
   * and not in the order in which the hits were counted: the most hits and the earliest end are nearest to the truth.
   */
  learn(key: string, windowSeconds: number, { hits, millisecondsLeft }: CountedWindow): void {
    const endsAt = milliseconds() + millisecondsLeft;
    const last = this.windows.get(key);
    // The end of the next window is later by its whole length; that of the same one only by the answer's way.
    const isNext = last === undefined || endsAt - last.endsAt > windowSeconds * 500;
    const window = isNext ? this.open(key, endsAt) : last;
    window.hits = Math.max(window.hits, hits);
    window.endsAt = Math.min(window.endsAt, endsAt);
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
      if (window.endsAt <= milliseconds()) this.forget(key, window);
      else window.timer = this.ending(key, window.endsAt);
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
