import { BoundedWork } from '../../dist/common/secrets/bounded-work.js';
import { hashingLanes } from '../../dist/common/secrets/secret-hasher.js';
import { percentile } from '../support/figures.js';
import { balancer } from './balancer.js';
import { keyCaches } from './key-caches.js';
import { recordsOf } from './keys.js';
import { exponential, randomNumbers, sampler } from './random.js';
import { inVirtualTime, wakes } from './virtual-time.js';

const second = 1_000;
/** A refusal says `Retry-After: 1`. */
const retryMilliseconds = 1_000;
/** What a caller waits for before it counts as held up. */
const lateMilliseconds = 500;

/**
 * One of `replicas` servers comes back with nothing remembered, and the others know every key: what its first seconds are like, for
 * those who are sent to it. Secrets, waiting rooms and memory are the server's own classes; argon2 is the time it takes.
 */
export function afterRestart({
  rates,
  replicas,
  policy,
  atOnce,
  argon2Milliseconds,
  serviceMilliseconds,
  seconds,
  seed,
}) {
  return inVirtualTime(async (time) => {
    const random = randomNumbers(seed);
    const draw = sampler(rates, random);
    const front = balancer(policy, replicas, random);
    const work = new BoundedWork(hashingLanes, atOnce);
    const seen = { requests: 0, refused: 0, checks: 0, waits: [], lastLate: 0, checksIn: new Array(seconds).fill(0) };
    const secrets = {
      verifyKey: (_hash, _secret, keyPrefix) =>
        work.run('keys', keyPrefix, async () => {
          seen.checks++;
          seen.checksIn[Math.floor(time.now() / second)]++;
          await time.sleep(argon2Milliseconds);
          return true;
        }),
    };
    const caches = keyCaches(secrets);
    const recordOf = recordsOf();
    const atCold = async (key, replica) => {
      const begun = time.now();
      seen.requests++;
      const isServed = await caches.present(String(key), recordOf(key)).then(
        () => true,
        () => false,
      );
      const waited = time.now() - begun;
      if (isServed) seen.waits.push(waited);
      else {
        seen.refused++;
        time.at(time.now() + retryMilliseconds, () => ask(key));
      }
      if (!isServed || waited > lateMilliseconds) seen.lastLate = time.now();
      time.at(time.now() + (isServed ? exponential(random, serviceMilliseconds) : 0), () => front.release(replica));
    };
    const ask = (key) => {
      const replica = front.take();
      if (replica === 0) {
        void atCold(key, replica);
        return wakes;
      }
      time.at(time.now() + exponential(random, serviceMilliseconds), () => front.release(replica));
      return undefined;
    };
    const distance = second / rates.reduce((sum, rate) => sum + rate, 0);
    const arrive = () => {
      time.at(time.now() + exponential(random, distance), arrive);
      return ask(draw());
    };
    arrive();
    await time.runUntil(seconds * second - 1);
    const busyTo = seen.checksIn.findLastIndex((checks) => checks * argon2Milliseconds > 0.9 * atOnce * second);
    return {
      requests: seen.requests,
      refused: seen.refused,
      checks: seen.checks,
      p99: percentile(seen.waits, 0.99),
      busySeconds: busyTo + 1,
      lateSeconds: seen.lastLate / second,
    };
  });
}
