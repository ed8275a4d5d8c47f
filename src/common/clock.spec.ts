import { Logger } from '@nestjs/common';
import { Clock } from './clock.js';

/** The right time when the test begins, and the monotonic clock's reading then. */
const right = Date.parse('2027-05-01T10:00:00.000Z');
const begun = 5_000;
const hour = 3_600_000;

describe('the clock', () => {
  let clock: Clock;
  /** How much time has really passed, and how far this machine's clock is ahead. */
  let passed: number;
  let ahead: number;
  let told: string[];

  beforeEach(() => {
    [passed, ahead, told] = [0, 0, []];
    jest.spyOn(Date, 'now').mockImplementation(() => right + passed + ahead);
    jest.spyOn(performance, 'now').mockImplementation(() => begun + passed);
    const tell = (text: unknown) => void told.push(String(text));
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(tell);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(tell);
    clock = new Clock();
  });
  afterEach(() => jest.restoreAllMocks());

  /** The database says the time, and that takes so long to arrive. */
  const hear = (late = 0) => clock.hear(new Date(right + passed - late));
  const shown = () => clock.now().getTime() - right - passed;

  it("is this machine's as long as the database was never heard", () => {
    ahead = 25 * hour;
    expect([shown(), clock.ahead(), told]).toEqual([25 * hour, undefined, []]);
  });

  it.each([0, 1, -1, 40, -40, 999, -999])("is this machine's, to the millisecond, while it is %i ms off", (off) => {
    ahead = off;
    for (passed = 0; passed < 60_000; passed += 1_000) {
      hear();
      expect(shown()).toBe(off);
    }
    expect(told).toEqual([]);
  });

  it.each([1_000, -1_000, 25 * hour, -25 * hour])("is the database's where this machine's is %i ms off", (off) => {
    ahead = off;
    for (passed = 0; passed < 60_000; passed += 1_000) {
      hear();
      expect([shown(), clock.ahead()]).toEqual([0, off]);
    }
  });

  it('tells once that it is wrong and by how much, and once that it is right again', () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    ahead = 25 * hour;
    for (let beat = 0; beat < 10; beat++) hear();
    expect(told).toEqual([expect.stringContaining("the database's differ")]);
    expect(warn).toHaveBeenCalledWith(expect.any(String), { aheadSeconds: 90_000 });
    ahead = 3;
    for (let beat = 0; beat < 10; beat++) hear();
    expect(told).toEqual([expect.stringContaining('differ'), expect.stringContaining('agree again')]);
    expect(shown()).toBe(3);
  });

  it('does not go to and fro with a clock on the edge', () => {
    ahead = 1_000;
    hear();
    for (const off of [999, 1_000, 998, 1_001, 501]) {
      ahead = off;
      expect(shown()).toBe(0);
    }
    ahead = 499;
    expect(shown()).toBe(499);
    ahead = 999;
    expect(shown()).toBe(999);
    expect(told).toHaveLength(2);
  });

  it.each([hour, -hour])('sees at once, before the database is heard again, that it was set by %i ms', (jump) => {
    hear();
    passed = 700;
    ahead = jump;
    expect(shown()).toBe(0);
    passed = hour;
    expect(shown()).toBe(0);
  });

  it('takes no slow answer for another time, be it a network or a process that was held up', () => {
    hear(3);
    for (const late of [2_000, 700, 5_000, 99, 3, 40]) {
      passed += 1_000;
      hear(late);
      expect(shown()).toBe(0);
    }
    expect(told).toEqual([]);
  });

  it('gets nearer to the truth with the first answer that comes soon, where the very first one was late', () => {
    ahead = hour;
    hear(2_500);
    expect(shown()).toBe(-2_500);
    hear();
    expect(shown()).toBe(0);
  });

  it('does not jitter while it is corrected: what was asked later is not earlier', () => {
    ahead = -25 * hour;
    hear(60);
    for (const late of [40, 1, 77, 12, 60, 3]) {
      passed += 1_000;
      hear(late);
      expect(shown()).toBe(-60);
    }
  });

  it('follows the database where that is set, or another member with another clock takes over', () => {
    hear();
    clock.hear(new Date(right + passed + hour));
    expect(shown()).toBe(hour);
    for (let beat = 0; beat < 30; beat++) hear();
    expect(shown()).toBe(0);
  });

  it('is right with the first news after the machine slept, when the monotonic clock stood still', () => {
    hear();
    jest.spyOn(performance, 'now').mockImplementation(() => begun + passed - 8 * hour);
    passed = 8 * hour;
    hear();
    expect(shown()).toBe(0);
  });
});
