import { ServiceError } from '../common/errors/service-error.js';
import { Metrics } from '../common/metrics/metrics.js';
import { RequestCounter } from '../rate-limit/request-counter.js';
import { LoginAttempts } from './login-attempts.js';
import { LoginLine } from './login-line.js';
import { PacedTurns } from './paced-turns.js';

const email = 'dana@example.com';
const home = '198.51.100.1';
const hour = 3_600_000;

/** What became of an attempt: the code of its refusal, with its Retry-After. */
type Outcome = 'right' | 'wrong' | { code: number; after: number | undefined };

let counter: RequestCounter;
let attempts: LoginAttempts;
let networks: number;
let flooding: NodeJS.Timeout | undefined;

beforeEach(() => {
  jest.useFakeTimers();
  counter = new RequestCounter({ warn: () => undefined, info: () => undefined });
  const line = new LoginLine(counter, new PacedTurns({ milliseconds: 1_000, waiting: 3 }));
  attempts = new LoginAttempts(counter, line, new Metrics());
  networks = 0;
});

afterEach(() => {
  clearInterval(flooding);
  counter.onApplicationShutdown();
  jest.useRealTimers();
});

const freshAddress = () => `2001:db8:0:${(++networks).toString(16)}::1`;
const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function attempt(
  address: string,
  isRight: boolean,
  look: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Outcome> {
  const looked = attempts.attempt(email, address, async () => {
    await look();
    return isRight ? 'the user' : null;
  });
  return looked.then(
    (user) => (user === null ? 'wrong' : 'right'),
    (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      return { code: error.entry.code, after: error.retryAfterSeconds };
    },
  );
}

/** Lets the time go on until the outcome is there, for five seconds at most. */
async function outcomeOf(attempted: Promise<Outcome>): Promise<Outcome | 'none'> {
  const outcomes: Outcome[] = [];
  void attempted.then((outcome) => outcomes.push(outcome));
  for (let tenths = 0; tenths < 50 && outcomes.length === 0; tenths++) await pass(tenths === 0 ? 0 : 100);
  return outcomes[0] ?? 'none';
}

/** From now on, attempts for the email take turns. */
async function failEverywhere(): Promise<void> {
  for (let time = 0; time < 20; time++) expect(await attempt(freshAddress(), false)).toBe('wrong');
}

/** Every address tries every ten milliseconds, whatever the answer, until the test is over. */
function flood(addresses: () => readonly string[]): void {
  flooding = setInterval(() => {
    for (const address of addresses()) void attempt(address, false);
  }, 10);
}

const fullLine = { code: 42902, after: 3 };

describe('an address where an email was logged in to', () => {
  it('is not held up while new addresses without end flood the email; a stranger is sent away', async () => {
    expect(await attempt(home, true)).toBe('right');
    await failEverywhere();
    flood(() => Array.from({ length: 5 }, freshAddress));
    await pass(2_000);
    for (let time = 0; time < 25; time++) {
      const owner = attempt(home, true);
      await pass(0);
      expect(await Promise.race([owner, Promise.resolve('waits')])).toBe('right');
      await pass(100);
    }
    expect(await outcomeOf(attempt(freshAddress(), true))).toEqual(fullLine);
  });

  it('may fail no oftener than any other one', async () => {
    await attempt(home, true);
    await failEverywhere();
    for (let time = 0; time < 10; time++) expect(await attempt(home, false)).toBe('wrong');
    expect(await attempt(home, true)).toMatchObject({ code: 42902, after: 900 });
  });

  it('is known for a day after the last login, and then no more', async () => {
    await attempt(home, true);
    await pass(20 * hour);
    await attempt(home, true);
    await pass(23 * hour);
    await failEverywhere();
    flood(() => Array.from({ length: 5 }, freshAddress));
    await pass(100);
    expect(await outcomeOf(attempt(home, false))).toBe('wrong');
    clearInterval(flooding);
    await pass(hour);
    await failEverywhere();
    flood(() => Array.from({ length: 5 }, freshAddress));
    await pass(100);
    expect(await outcomeOf(attempt(home, true))).toEqual(fullLine);
  });

  it('is known for that email only', async () => {
    await attempts.attempt('another@example.com', home, () => Promise.resolve('another user'));
    await failEverywhere();
    flood(() => Array.from({ length: 5 }, freshAddress));
    await pass(100);
    expect(await outcomeOf(attempt(home, true))).toEqual(fullLine);
  });
});

describe('an address where an email was not logged in to', () => {
  it('does not become a known one by asking', async () => {
    await failEverywhere();
    flood(() => Array.from({ length: 5 }, freshAddress));
    await pass(100);
    for (let time = 0; time < 10; time++) expect(await outcomeOf(attempt(home, false))).toEqual(fullLine);
  });

  it('comes to the line ten times, whether it gets a place or not, and is then refused for the rest of the window', async () => {
    await failEverywhere();
    const crowd = Array.from({ length: 10 }, () => attempt(home, false));
    await pass(100_000);
    const outcomes = await Promise.all(crowd);
    expect(outcomes.filter((outcome) => outcome === 'wrong').length).toBeGreaterThanOrEqual(3);
    expect(outcomes).toContainEqual(fullLine);
    expect(await outcomeOf(attempt(home, true))).toEqual({ code: 42902, after: 800 });
    await pass(800_000);
    expect(await outcomeOf(attempt(home, true))).toBe('right');
  });

  it('lets its owner in while addresses that are used up go on flooding', async () => {
    await failEverywhere();
    const attackers = Array.from({ length: 30 }, freshAddress);
    flood(() => attackers);
    await pass(5_000);
    for (const attacker of attackers) {
      const outcome = await outcomeOf(attempt(attacker, false));
      expect(outcome).toMatchObject({ code: 42902 });
      expect((outcome as { after: number }).after).toBeGreaterThan(800);
    }
    for (let time = 0; time < 3; time++) expect(await outcomeOf(attempt(freshAddress(), true))).toBe('right');
  });

  it('has its right passwords not counted as coming to the line', async () => {
    await failEverywhere();
    const [hit, refund] = [jest.spyOn(counter, 'hit'), jest.spyOn(counter, 'refund')];
    const owners = Array.from({ length: 4 }, () => attempt(home, true));
    for (const owner of owners) expect(await outcomeOf(owner)).toBe('right');
    const inLine = (calls: readonly unknown[][]) => calls.filter(([bucket]) => bucket === 'login-line').length;
    expect([inLine(hit.mock.calls), inLine(refund.mock.calls)]).toEqual([4, 4]);
  });

  it('has room for other emails while an attempt waits in the line', async () => {
    await failEverywhere();
    void attempt(freshAddress(), false);
    const waiting = attempt(home, true);
    const neighbour = attempts.attempt('another@example.com', home, () => Promise.resolve('another user'));
    await pass(0);
    expect(await Promise.race([neighbour, Promise.resolve('waits')])).toBe('another user');
    expect(await outcomeOf(waiting)).toBe('right');
  });
});

describe('a burst from one address', () => {
  const slowly = () => sleep(10);

  it('succeeds as far as there is room to wait, however many right logins come at once', async () => {
    const burst = Array.from({ length: 129 }, () => attempt(home, true, slowly));
    await pass(2_000);
    expect(await Promise.all(burst)).toEqual(Array(129).fill('right'));
  });

  it('of 300 is over after two seconds, and the next login is served', async () => {
    const burst = Array.from({ length: 300 }, () => attempt(home, true, () => sleep(50)));
    const over = Promise.all(burst);
    await pass(2_200);
    const outcomes = await over;
    expect(outcomes.filter((outcome) => outcome === 'right').length).toBeGreaterThanOrEqual(35);
    const refused = outcomes.filter((outcome) => outcome !== 'right');
    expect(refused.length).toBeGreaterThan(171);
    for (const refusal of refused) expect(refusal).toEqual({ code: 50302, after: 1 });
    const next = attempt(home, true, slowly);
    await pass(10);
    expect(await Promise.race([next, Promise.resolve('waits')])).toBe('right');
  });

  it('leaves the counts as they were: ten may still fail, and no more', async () => {
    const burst = Array.from({ length: 300 }, () => attempt(home, true, slowly));
    await pass(5_000);
    await Promise.all(burst);
    for (let time = 0; time < 10; time++) expect(await attempt(home, false)).toBe('wrong');
    expect(await attempt(home, true)).toMatchObject({ code: 42902 });
  });
});
