import { setTimeout as wait } from 'node:timers/promises';
import { InProcessWindows } from './in-process-windows.js';

describe('a window counted in the process', () => {
  let windows: InProcessWindows;

  beforeEach(() => {
    windows = new InProcessWindows();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** Keeps this thread busy, as many requests at once do. */
  function block(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  it('does not end before its time where the process was busy as it began', async () => {
    await wait(1);
    block(400);
    const begun = performance.now();
    windows.hit('key', 1);
    await wait(750);
    const { hits, millisecondsLeft } = windows.hit('key', 1);
    const elapsed = performance.now() - begun;
    // A machine that slept longer than the window shows nothing.
    if (elapsed < 1_000) {
      expect(hits).toBe(2);
      // By as much as it had been busy, before.
      expect(1_000 - elapsed - millisecondsLeft).toBeLessThan(100);
    }
  });

  it.each([-3_600_000, 3_600_000])('keeps its length when the time of day is put right by %d ms', async (shift) => {
    jest.useFakeTimers();
    windows.hit('key', 60);
    await jest.advanceTimersByTimeAsync(20_000);
    jest.setSystemTime(Date.now() + shift);
    expect(windows.hit('key', 60)).toEqual({ hits: 2, millisecondsLeft: 40_000 });
    await jest.advanceTimersByTimeAsync(39_999);
    expect(windows.hit('key', 60)).toEqual({ hits: 3, millisecondsLeft: 1 });
    await jest.advanceTimersByTimeAsync(1);
    expect(windows.hit('key', 60)).toEqual({ hits: 1, millisecondsLeft: 60_000 });
  });

  it('ends right after the milliseconds that it told, window after window', () => {
    for (let window = 1; window <= 3; window++) {
      const first = windows.hit('key', 1);
      expect(first).toEqual({ hits: 1, millisecondsLeft: 1_000 });
      // Not a timer: it may be late, and so hide an answer that is a millisecond short.
      block(300);
      const second = windows.hit('key', 1);
      expect(second.hits).toBe(2);
      block(second.millisecondsLeft);
    }
    expect(windows.hit('key', 1).hits).toBe(1);
  });

  it('gives 300 hits around the turn of a window each its own number in its window', () => {
    windows.hit('key', 1);
    block(990);
    const numbers = Array.from({ length: 300 }, () => {
      block(0.05);
      return windows.hit('key', 1).hits;
    });
    const turn = numbers.indexOf(1);
    expect(turn).toBeGreaterThanOrEqual(0);
    expect(numbers).toEqual([
      ...Array.from({ length: turn }, (_, index) => index + 2),
      ...Array.from({ length: 300 - turn }, (_, index) => index + 1),
    ]);
  });

  it('counts on from a window that was counted elsewhere, to the end that was told', async () => {
    jest.useFakeTimers();
    windows.learn('key', 60, { hits: 98, millisecondsLeft: 40_000 });
    // One that was counted before it, and came two seconds late.
    windows.learn('key', 60, { hits: 97, millisecondsLeft: 42_000 });
    expect(windows.hit('key', 60)).toEqual({ hits: 99, millisecondsLeft: 40_000 });
    await jest.advanceTimersByTimeAsync(30_000);
    windows.learn('key', 60, { hits: 1, millisecondsLeft: 60_000 });
    expect(windows.hit('key', 60)).toEqual({ hits: 2, millisecondsLeft: 60_000 });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(windows.hit('key', 60)).toEqual({ hits: 1, millisecondsLeft: 60_000 });
  });

  it('leaves nothing behind: a window goes with its time, and with its last hit', async () => {
    jest.useFakeTimers();
    for (let key = 0; key < 1_000; key++) windows.hit(`key ${key}`, 60);
    windows.hit('taken back', 60);
    windows.refund('taken back');
    expect(jest.getTimerCount()).toBe(1_000);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});
