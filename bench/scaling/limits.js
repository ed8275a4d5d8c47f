import { InProcessWindows } from '../../dist/rate-limit/in-process-windows.js';
import { RateLimitStorage } from '../../dist/rate-limit/rate-limit.storage.js';
import { RequestCounter } from '../../dist/rate-limit/request-counter.js';
import { balancer } from './balancer.js';
import { exponential, randomNumbers } from './random.js';
import { inVirtualTime } from './virtual-time.js';

const minute = 60_000;
const limit = 100;

/** Minutes of the run: Redis is there, away, and there again. The first one, in which keys begin, is not counted. */
const outage = { from: 3 * minute, to: 6 * minute };
const end = 9 * minute;

/** A Redis that all replicas share. Its windows follow the same rule as those of a process. */
class VirtualRedis {
  windows = new InProcessWindows();

  constructor(time) {
    this.time = time;
  }

  async hit(key, windowSeconds) {
    const now = this.time.now();
    if (now >= outage.from && now < outage.to) throw new Error('away');
    return this.windows.hit(key, windowSeconds);
  }
}

/** The counter of one replica: the server's own, but that its Redis is the virtual one. */
function storageOf(redis) {
  const counter = new RequestCounter({ warn: () => undefined, info: () => undefined });
  return new RateLimitStorage(redis === undefined ? counter : Object.assign(counter, { shared: redis }));
}

/**
 * What some keys get through, each of which asks one controller `perMinute` times a minute, by chance.
 * @returns what one key got in a minute on average: `there` while Redis is there, `first` in the minute from when it is away,
 * `later` in each further one away, `back` in the minute from when it is there again. Without Redis only `there` has a meaning.
 */
export function admitted({ replicas, policy, hasRedis, perMinute, keys, seed }) {
  return inVirtualTime(async (time) => {
    const random = randomNumbers(seed);
    const front = balancer(policy, replicas, random);
    const redis = hasRedis ? new VirtualRedis(time) : undefined;
    const storages = Array.from({ length: replicas }, () => storageOf(redis));
    const perMinuteOfRun = new Array(end / minute).fill(0);
    const distance = minute / perMinute;
    const ask = async (key) => {
      const replica = front.take();
      const { isBlocked } = await storages[replica].increment(key, minute, limit);
      if (!isBlocked) perMinuteOfRun[Math.floor(time.now() / minute)]++;
      time.at(time.now() + exponential(random, 4), () => front.release(replica));
      time.at(time.now() + exponential(random, distance), () => ask(key));
    };
    for (let key = 0; key < keys; key++) time.at(random() * minute, () => ask(`teams:${key}`));
    await time.runUntil(end - 1);
    const of = (...minutes) => minutes.reduce((sum, index) => sum + perMinuteOfRun[index], 0) / minutes.length / keys;
    const [away, back] = [outage.from / minute, outage.to / minute];
    return {
      there: hasRedis ? of(1, 2) : of(1, 2, 3, 4, 5, 6, 7, 8),
      first: of(away),
      later: of(away + 1, away + 2),
      back: of(back),
    };
  });
}
