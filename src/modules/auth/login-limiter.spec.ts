import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { ServiceError } from '../../errors/service-error.js';
import { Metrics } from '../../observability/metrics.js';
import { Configuration } from '../../config/configuration.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';
import { LoginLimiter } from './login-limiter.js';

const email = 'dana@example.com';
const home = '198.51.100.1';

/** The result of an attempt: the verification's, or the code and `Retry-After` of an error. */
type Outcome = 'right' | 'wrong' | { code: number; after: number | undefined };

let limiter: LoginLimiter;

beforeEach(() => {
  jest.useFakeTimers();
  const metrics = new Metrics();
  limiter = new LoginLimiter(new HitCounter({} as Configuration, metrics), metrics);
});

afterEach(() => jest.useRealTimers());

const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function attempt(network: string, isRight: boolean, milliseconds = 0): Promise<Outcome> {
  const verify = async () => {
    if (milliseconds > 0) await sleep(milliseconds);
    return isRight ? 'the user' : null;
  };
  return limiter.run(email, network, verify).then(
    (user) => (user === null ? 'wrong' : 'right'),
    (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      return { code: error.entry.code, after: error.retryAfterSeconds };
    },
  );
}

const outcomesOf = (count: number, make: () => Promise<Outcome>) => Promise.all(Array.from({ length: count }, make));
const limited = { code: 42902, after: 900 };

describe('failed logins for one email', () => {
  it('are counted exactly if concurrent: ten of 18 are verified', async () => {
    const outcomes: Outcome[] = [];
    for (let round = 0; round < 2; round++) {
      const burst = outcomesOf(9, () => attempt(home, false, 20));
      await pass(200);
      outcomes.push(...(await burst));
    }
    const lasting = { code: 42902, after: expect.any(Number) as number };
    expect(outcomes).toEqual([...Array<Outcome>(10).fill('wrong'), ...Array<Outcome>(8).fill(lasting)]);
  });

  it('keep no memory if they are rejected for overload, with any email', async () => {
    const counter = new HitCounter({} as Configuration, new Metrics());
    limiter = new LoginLimiter(counter, new Metrics());
    const overload = () => Promise.reject(new ServiceError('overloaded'));
    for (let number = 0; number < 100; number++) {
      await expect(limiter.run(`${number}@example.com`, home, overload)).rejects.toThrow();
    }
    const { memory } = counter as unknown as { memory: RateLimiterMemory };
    expect(memory.dump().storage).toEqual([]);
  });

  it('from many networks neither delay nor reject another network', async () => {
    for (let network = 0; network < 200; network++) {
      expect(await attempt(`2001:db8:0:${network.toString(16)}::/64`, false)).toBe('wrong');
    }
    for (let time = 0; time < 5; time++) expect(await attempt(home, true)).toBe('right');
  });

  it('no longer count after 15 minutes', async () => {
    for (let time = 0; time < 10; time++) expect(await attempt(home, false)).toBe('wrong');
    expect(await attempt(home, true)).toEqual(limited);
    await pass(900_000);
    expect(await attempt(home, true)).toBe('right');
  });
});

describe('wrong codes of a user', () => {
  const attemptCode = () => limiter.runCode('6650f1f77bcf86cd79943901', () => Promise.resolve(null));

  it('are limited to 30 in 15 minutes and 100 in a week', async () => {
    for (const allowed of [30, 30, 30, 10]) {
      for (let time = 0; time < allowed; time++) expect(await attemptCode()).toBeNull();
      await expect(attemptCode()).rejects.toMatchObject({ entry: { code: 42902 } });
      await pass(900_000);
    }
    await pass(6 * 86_400_000);
    await expect(attemptCode()).rejects.toMatchObject({ entry: { code: 42902 } });
    await pass(86_400_000 - 3_600_000);
    expect(await attemptCode()).toBeNull();
  });
});

describe('a burst from one network', () => {
  it('of 9 correct logins succeeds', async () => {
    const burst = outcomesOf(9, () => attempt(home, true, 10));
    await pass(1_000);
    expect(await burst).toEqual(Array(9).fill('right'));
  });

  it('is rejected at once beyond the queue, and after waiting 1.5 s; the next login is verified', async () => {
    const begun = performance.now();
    const rejectedAfter: number[] = [];
    const one = async () => {
      const outcome = await attempt(home, true, 200);
      if (outcome !== 'right') rejectedAfter.push(performance.now() - begun);
      return outcome;
    };
    const burst = outcomesOf(300, one);
    await pass(0);
    expect(rejectedAfter).toHaveLength(300 - 9);
    await pass(1_700);
    const outcomes = await burst;
    expect(Math.max(...rejectedAfter)).toBeLessThanOrEqual(1_700);
    expect(outcomes.filter((outcome) => outcome === 'right')).toHaveLength(8);
    for (const outcome of outcomes) if (outcome !== 'right') expect(outcome).toEqual({ code: 50302, after: 1 });
    expect(await attempt(home, true)).toBe('right');
  });

  it('keeps no memory', async () => {
    const burst = outcomesOf(300, () => attempt(home, true, 10));
    await pass(2_000);
    await burst;
    const { queue } = limiter as unknown as { queue: { limiter: object } };
    const empty = { total: 0, counts: new Map() };
    expect(queue.limiter).toMatchObject({ running: empty, waiting: empty, queues: new Map() });
  });

  it('does not delay another network', async () => {
    void attempt(home, true, 60_000);
    expect(await attempt('198.51.100.2', true)).toBe('right');
  });
});
