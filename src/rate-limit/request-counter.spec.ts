import { RequestCounter } from './request-counter.js';

const silent = { warn: () => undefined, info: () => undefined };

describe('RequestCounter without Redis', () => {
  let counter: RequestCounter;

  beforeEach(() => {
    jest.useFakeTimers();
    counter = new RequestCounter(silent);
  });

  afterEach(() => {
    counter.onApplicationShutdown();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('counts every one of 1,000 hits at once, each with its own number', async () => {
    const windows = await Promise.all(Array.from({ length: 1_000 }, () => counter.hit('teams', 'key', 60)));
    expect(windows.map(({ hits }) => hits)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  });

  it('begins a window with its first hit and does not prolong it by later ones', async () => {
    expect(await counter.hit('teams', 'key', 60)).toEqual({ hits: 1, millisecondsLeft: 60_000 });
    await jest.advanceTimersByTimeAsync(45_000);
    expect(await counter.hit('teams', 'key', 60)).toEqual({ hits: 2, millisecondsLeft: 15_000 });
    await jest.advanceTimersByTimeAsync(14_999);
    expect(await counter.hit('teams', 'key', 60)).toEqual({ hits: 3, millisecondsLeft: 1 });
    await jest.advanceTimersByTimeAsync(1);
    expect(await counter.hit('teams', 'key', 60)).toEqual({ hits: 1, millisecondsLeft: 60_000 });
  });

  it('opens a new window after the whole seconds that the time left rounds up to', async () => {
    await counter.hit('teams', 'key', 60);
    await jest.advanceTimersByTimeAsync(1_234);
    const { millisecondsLeft } = await counter.hit('teams', 'key', 60);
    await jest.advanceTimersByTimeAsync(Math.ceil(millisecondsLeft / 1_000) * 1_000);
    expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
  });

  it('opens a new window at its time, even if the timer that clears the old one is late', async () => {
    await counter.hit('teams', 'key', 60);
    const late = performance.now() + 60_000;
    jest.spyOn(performance, 'now').mockReturnValue(late);
    expect(await counter.hit('teams', 'key', 60)).toEqual({ hits: 1, millisecondsLeft: 60_000 });
  });

  it('counts buckets, keys and window lengths apart', async () => {
    await counter.hit('teams', 'key', 60);
    expect((await counter.hit('players', 'key', 60)).hits).toBe(1);
    expect((await counter.hit('teams', 'other', 60)).hits).toBe(1);
    expect((await counter.hit('teams', 'key', 900)).hits).toBe(1);
  });

  it('keeps nothing of windows that have ended', async () => {
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => counter.hit('failures', `address ${index}`, 60)));
    // Each window that is held has one timer that clears it.
    expect(jest.getTimerCount()).toBe(1_000);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('takes a hit back without moving the end of the window', async () => {
    await counter.hit('login', 'address', 900);
    await counter.hit('login', 'address', 900);
    await jest.advanceTimersByTimeAsync(100_000);
    await counter.refund('login', 'address', 900);
    expect(await counter.hit('login', 'address', 900)).toEqual({ hits: 2, millisecondsLeft: 800_000 });
  });

  it('has no window any more when its only hit was taken back', async () => {
    await counter.hit('login', 'address', 900);
    await jest.advanceTimersByTimeAsync(100_000);
    await counter.refund('login', 'address', 900);
    expect(jest.getTimerCount()).toBe(0);
    expect(await counter.hit('login', 'address', 900)).toEqual({ hits: 1, millisecondsLeft: 900_000 });
  });

  it('never counts below zero, whatever is taken back, and keeps nothing of it', async () => {
    await Promise.all(Array.from({ length: 20 }, () => counter.refund('login', 'address', 900)));
    expect(jest.getTimerCount()).toBe(0);
    const refunds = Array.from({ length: 20 }, () => counter.refund('login', 'address', 900));
    const hit = counter.hit('login', 'address', 900);
    const later = Array.from({ length: 20 }, () => counter.refund('login', 'address', 900));
    await Promise.all([...refunds, ...later]);
    expect((await hit).hits).toBe(1);
    expect((await counter.hit('login', 'address', 900)).hits).toBe(1);
  });

  it.each([0, -1, 1.5, Number.NaN, 86_401])(
    'refuses a window of %p seconds as a mistake in the code',
    async (seconds) => {
      await expect(counter.hit('teams', 'key', seconds)).rejects.toThrow(RangeError);
      await expect(counter.refund('teams', 'key', seconds)).rejects.toThrow(RangeError);
    },
  );

  it('starts and stops without anything to connect to', async () => {
    await counter.onModuleInit();
    counter.onApplicationShutdown();
    expect((await counter.hit('teams', 'key', 60)).hits).toBe(1);
  });
});

describe('RequestCounter with a wrong Redis URL', () => {
  it.each(['http://:secret@localhost', 'localhost:6379?password=secret', 'redis://:secret@[host', ''])(
    'refuses %p at once, without repeating it',
    (redisUrl) => {
      const attempt = () => new RequestCounter({ redisUrl, ...silent });
      expect(attempt).toThrow('must begin with redis:// or rediss://');
      expect(attempt).not.toThrow(/secret/);
    },
  );
});
