import { keepNewest } from '../../dist/common/keep-newest.js';
import { keyCaches, presentRecord } from './key-caches.js';
import { exponential, randomNumbers, sampler, zipfRates } from './random.js';

/** What a key may be served in a second at most: 100 a minute at each of five controllers. */
export const mostPerKey = (100 * 5) / 60;

/** How often each key is presented to all replicas together, in a second: one for each organization, or as many as the limits demand. */
export function keyRates({ organizations, perSecond, exponent }) {
  const count = Math.max(organizations, Math.ceil(perSecond / mostPerKey));
  return zipfRates({ count, total: perSecond, exponent, most: mostPerKey });
}

/** Counts what presented keys cost one server. */
function tally() {
  const sums = { requests: 0, reads: 0, firsts: 0 };
  return {
    add({ isRead, isFirst }) {
      sums.requests++;
      sums.reads += isRead ? 1 : 0;
      sums.firsts += isFirst ? 1 : 0;
    },
    get shares() {
      return { read: sums.reads / sums.requests, first: sums.firsts / sums.requests, ...sums };
    },
  };
}

/** What the database holds, made for the keys that are presented. */
export function recordsOf() {
  const records = [];
  return (key) => (records[key] ??= presentRecord(String(key)));
}

/**
 * One of `replicas` servers from its start on, with the server's own classes: what its part of the traffic costs in its first
 * `seconds`.
 */
export async function fromStart({ rates, replicas, seconds, seed }) {
  const random = randomNumbers(seed);
  const draw = sampler(rates, random);
  const perSecond = rates.reduce((sum, rate) => sum + rate, 0) / replicas;
  const caches = keyCaches();
  const recordOf = recordsOf();
  const counted = tally();
  for (let now = exponential(random, 1 / perSecond); now < seconds; now += exponential(random, 1 / perSecond)) {
    const key = draw();
    counted.add(await caches.present(String(key), recordOf(key)));
  }
  return counted.shares;
}

/** One server that runs since long, and has met each key: what each of its requests costs, with the server's own classes. */
export async function inTheLongRun({ rates, requests, seed }) {
  const draw = sampler(rates, randomNumbers(seed));
  const caches = keyCaches();
  const recordOf = recordsOf();
  const counted = tally();
  for (let key = 0; key < rates.length; key++) await caches.present(String(key), recordOf(key));
  for (let done = 0; done < requests * 2; done++) {
    const key = draw();
    const cost = await caches.present(String(key), recordOf(key));
    if (done >= requests) counted.add(cost);
  }
  return counted.shares;
}

/**
 * The rule by which the server remembers secrets, with another bound or order: `newest` forgets the one that came first, as the server
 * does, `used` the one that was not used for longest.
 * @returns the share of first checks in the long run; `isMine` leaves out the keys that go to other replicas
 */
export function firstsOfRule({ rates, requests, most, order, isMine = () => true, seed }) {
  // Nothing is ever forgotten, and each key was seen long ago.
  if (most >= rates.length) return 0;
  const draw = sampler(rates, randomNumbers(seed));
  const passed = new Map();
  for (let key = 0; key < rates.length; key++) if (isMine(key)) keepNewest(passed, key, true, most);
  let [done, firsts, counted] = [0, 0, 0];
  while (done < requests * 2) {
    const key = draw();
    if (!isMine(key)) continue;
    const isKnown = passed.has(key);
    if (!isKnown || order === 'used') keepNewest(passed, key, true, most);
    if (done++ < requests) continue;
    counted++;
    firsts += isKnown ? 0 : 1;
  }
  return firsts / counted;
}

/** How many different keys come to one of `replicas` servers in so many seconds, on average. */
export function differentKeys(rates, replicas, seconds) {
  return rates.reduce((sum, rate) => sum + 1 - Math.exp((-rate * seconds) / replicas), 0);
}
