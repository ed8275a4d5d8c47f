import { background } from './database.js';
import { firstsOfRule, fromStart, inTheLongRun, keyRates } from './keys.js';
import { admitted } from './limits.js';
import { afterRestart } from './restart.js';

export const replicaCounts = [1, 2, 5, 10, 20, 50];
const organizationCounts = [1, 1_000, 100_000];
const policies = ['least connections', 'round robin'];
const seed = 2026;
const startSeconds = 300;
const longRequests = 300_000;
const restartSeconds = 60;
/** As `KeyMemory` and `SecretChecks` have it. */
export const remembered = { records: 10_000, secrets: 100_000 };

/** What keys that ask for more than they may get get, by number of servers and kind of counting. */
export async function simulateLimits() {
  const rows = [];
  for (const [perMinute, keys] of [
    [600, 10],
    [6_000, 2],
  ]) {
    for (const replicas of replicaCounts) {
      const common = { replicas, perMinute, keys, seed };
      const shared = await admitted({ ...common, policy: policies[0], hasRedis: true });
      const [alone, inTurn] = [policies[0], policies[1]].map((policy) => ({ ...common, policy, hasRedis: false }));
      rows.push({
        ...{ perMinute, replicas, ...shared },
        none: (await admitted(alone)).there,
        noneInTurn: (await admitted(inTurn)).there,
      });
    }
  }
  return rows;
}

/** What remembering keys saves, after a start and in the long run, by number of organizations and servers. */
export async function simulateKeys({ requestsPerSecond: perSecond, zipfExponent: exponent }) {
  const rows = [];
  for (const organizations of organizationCounts) {
    const rates = keyRates({ organizations, perSecond, exponent });
    const long = await inTheLongRun({ rates, requests: longRequests, seed });
    for (const replicas of replicaCounts) {
      const start = await fromStart({ rates, replicas, seconds: startSeconds, seed });
      rows.push({ organizations, replicas, start, long, perSecond, startSeconds });
    }
  }
  return rows;
}

/** Other rules of remembering secrets, where there are as many keys as the server remembers. */
export function simulateRules({ requestsPerSecond: perSecond, zipfExponent }) {
  const organizations = 100_000;
  const firsts = (more, exponent = zipfExponent) => {
    const rates = keyRates({ organizations, perSecond, exponent });
    return firstsOfRule({ rates, requests: longRequests, most: 10_000, order: 'newest', seed, ...more });
  };
  /** A balancer that sends each key to one server: here the keys of one of twenty. */
  const isMine = (key) => (Math.imul(key, 0x9e3779b1) >>> 0) % 20 === 0;
  return [
    { rule: 'as it is: 100,000', first: firsts({ most: remembered.secrets }), secrets: organizations },
    { rule: '10,000, the first one goes', first: firsts({}), secrets: 10_000 },
    { rule: '10,000, the one not used for longest goes', first: firsts({ order: 'used' }), secrets: 10_000 },
    { rule: '30,000, the first one goes', first: firsts({ most: 30_000 }), secrets: 30_000 },
    { rule: '10,000, and each key goes to one of 20 servers', first: firsts({ isMine }), secrets: 10_000 },
    { rule: '10,000, traffic by 1/n^1.2', first: firsts({}, 1.2), secrets: 10_000 },
    { rule: '10,000, traffic by 1/n^0.8', first: firsts({}, 0.8), secrets: 10_000 },
  ];
}

/** The first minute of one server that was started anew, under the traffic that each of them is planned for. */
export async function simulateRestart({ planned, measured, assumed }) {
  const { zipfExponent: exponent, serviceMilliseconds, serverCores } = assumed;
  const { argon2Milliseconds } = measured;
  const atOnce = Math.max(1, serverCores - 1);
  const rows = [];
  for (const organizations of [1_000, 5_000]) {
    for (const replicas of replicaCounts) {
      const rates = keyRates({ organizations, perSecond: planned * replicas, exponent });
      const common = {
        rates,
        replicas,
        atOnce,
        argon2Milliseconds,
        serviceMilliseconds,
        seconds: restartSeconds,
        seed,
      };
      const [fewest, turns] = [
        await afterRestart({ ...common, policy: policies[0] }),
        await afterRestart({ ...common, policy: policies[1] }),
      ];
      rows.push({ organizations, keys: rates.length, replicas, fewest, turns });
    }
  }
  return rows;
}

/** What the servers ask of the primary beside the requests, by their number. */
export function backgroundRows({ planned, mean, measured, assumed: { zipfExponent: exponent } }) {
  return replicaCounts.map((replicas) => {
    const perSecond = planned * replicas;
    const rates = keyRates({ organizations: 1_000, perSecond, exponent });
    return { replicas, perSecond, ...background({ replicas, writes: perSecond * mean.writes, rates, measured }) };
  });
}
