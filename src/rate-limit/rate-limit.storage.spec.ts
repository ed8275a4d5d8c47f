import { RateLimitStorage } from './rate-limit.storage.js';
import { RequestCounter } from './request-counter.js';

const limit = 100;

describe('RateLimitStorage', () => {
  let storage: RateLimitStorage;

  beforeEach(() => {
    jest.useFakeTimers();
    storage = new RateLimitStorage(new RequestCounter({ warn: () => undefined, info: () => undefined }));
  });
  afterEach(() => jest.useRealTimers());

  const request = () => storage.increment('teams:key', 60_000, limit);
  const useUp = async (millisecondsBetween = 0) => {
    for (let hit = 1; hit <= limit; hit++) {
      expect(await request()).toMatchObject({ totalHits: hit, isBlocked: false });
      await jest.advanceTimersByTimeAsync(millisecondsBetween);
    }
  };

  it.each([0, 1, 7, 333, 590])(
    'lets the next request through after the seconds that a refusal announces (requests %d ms apart)',
    async (millisecondsBetween) => {
      await useUp(millisecondsBetween);
      const refused = await request();
      expect(refused.isBlocked).toBe(true);
      await jest.advanceTimersByTimeAsync(refused.timeToBlockExpire * 1_000);
      expect(await request()).toMatchObject({ totalHits: 1, isBlocked: false });
    },
  );

  it('refuses until the last second that it announced, and refused requests prolong nothing', async () => {
    await useUp();
    expect(await request()).toMatchObject({ isBlocked: true, timeToBlockExpire: 60 });
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await request()).toMatchObject({ isBlocked: true, timeToBlockExpire: 30 });
    await jest.advanceTimersByTimeAsync(29_000);
    expect(await request()).toMatchObject({ isBlocked: true, timeToBlockExpire: 1 });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await request()).toMatchObject({ totalHits: 1, isBlocked: false, timeToExpire: 60 });
  });
});
