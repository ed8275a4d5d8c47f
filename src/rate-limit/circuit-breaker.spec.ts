import { CircuitBreaker } from './circuit-breaker.js';

describe('CircuitBreaker', () => {
  let clock: number;
  let began: string[];
  let ended: number[];
  let breaker: CircuitBreaker;

  beforeEach(() => {
    clock = 5_000;
    began = [];
    ended = [];
    breaker = new CircuitBreaker(
      { began: (reason) => began.push(reason), ended: (milliseconds) => ended.push(milliseconds) },
      () => clock,
    );
  });

  function failTimes(times: number): void {
    for (let time = 1; time <= times; time += 1) {
      breaker.failed(`failure ${time}`);
    }
  }

  it('asks as long as fewer than three failures came in a row', () => {
    failTimes(2);
    expect(breaker.mayAsk()).toBe(true);
    breaker.succeeded();
    failTimes(2);
    expect(breaker.mayAsk()).toBe(true);
  });

  it('does not ask for a second after the third failure in a row', () => {
    failTimes(3);
    expect(breaker.mayAsk()).toBe(false);
    clock += 999;
    expect(breaker.mayAsk()).toBe(false);
    clock += 1;
    expect(breaker.mayAsk()).toBe(true);
  });

  it('lets one caller try after the second, and no other until that one is back', () => {
    failTimes(3);
    clock += 1_000;
    expect([breaker.mayAsk(), breaker.mayAsk(), breaker.mayAsk()]).toEqual([true, false, false]);
    breaker.failed('still away');
    expect(breaker.mayAsk()).toBe(false);
    clock += 1_000;
    expect(breaker.mayAsk()).toBe(true);
    breaker.succeeded();
    expect([breaker.mayAsk(), breaker.mayAsk()]).toEqual([true, true]);
  });

  it('tells the beginning of an outage once, with the first reason, and its end once, with its length', () => {
    failTimes(5);
    clock += 1_000;
    breaker.failed('still away');
    clock += 1_500;
    breaker.succeeded();
    breaker.succeeded();
    expect(began).toEqual(['failure 1']);
    expect(ended).toEqual([2_500]);
  });

  it('takes failures less than a second apart for one outage, even with successes between them', () => {
    for (let time = 1; time <= 50; time += 1) {
      breaker.failed(`failure ${time}`);
      clock += 100;
      breaker.succeeded();
      clock += 100;
    }
    expect(began).toHaveLength(1);
    expect(ended).toEqual([]);
    clock += 800;
    breaker.succeeded();
    expect(ended).toHaveLength(1);
  });

  it('tells nothing while all is well', () => {
    breaker.succeeded();
    clock += 5_000;
    breaker.succeeded();
    expect([...began, ...ended]).toEqual([]);
  });
});
