import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/processes.js';
import { aCluster, type ClusterUnderTest } from './support/cluster-target.js';
import { PartnerClient } from './support/exchange.js';
import { type Ledger, quantile } from './support/ledger.js';
import { aPartnerKey } from './support/partner.js';
import { type Outcome, underLoad } from './support/under-load.js';

/** A count that Redis does not answer may cost a request so much, in milliseconds. */
const costOfAWait = 50;
/** How long Redis is away or hangs. */
const lasting = 4_000;
/** By then the servers have learned not to ask it. */
const learning = 1_000;

/** Two servers that share the counts of requests. */
describe('while Redis', () => {
  let under: ClusterUnderTest;
  let redis: NonNullable<ClusterUnderTest['cluster']['redis']>;

  beforeAll(async () => {
    under = await aCluster({ members: 1, servers: 2, redis: true, front: false });
    if (under.cluster.redis === undefined) throw new Error('There is no Redis');
    redis = under.cluster.redis;
  }, 120_000);
  afterAll(() => under.stop());

  /** What is left to a new key after its first request to each server: one less on the second, where they count together. */
  const leftAtEach = async (): Promise<number[]> => {
    const urls = under.cluster.servers.map(({ url }) => url);
    const client = new PartnerClient(urls, await aPartnerKey(urls[0] ?? '', under.target.partner.organizationId));
    const ask = async () => {
      const answer = await client.send({ purpose: 'list of teams', method: 'GET', path: '/teams' });
      return Number(answer.headers['ratelimit-remaining']);
    };
    const left = [await ask(), await ask()];
    client.close();
    return left;
  };
  const areCountedTogether = async () => {
    const [first = 0, second = 0] = await leftAtEach();
    return second === first - 1;
  };

  /** Takes Redis away and brings it back; what both servers counted meanwhile. */
  const withoutRedis = async (takeAway: () => unknown, bringBack: () => unknown) => {
    await eventually('the servers count together', areCountedTogether, 10);
    const begun = performance.now();
    await takeAway();
    await sleep(learning);
    const [first, second] = await leftAtEach();
    expect(second).toBe(first);
    await sleep(Math.max(0, begun + lasting - performance.now()));
    const recoverable = performance.now();
    await bringBack();
    await eventually('the servers count together again', areCountedTogether, 10);
    return { begun, recoverable };
  };

  /** How many requests of a stretch of time took longer than any usual one and a wait for Redis together. */
  const tooSlow = (ledger: Ledger, from: number, to: number, usual: number) =>
    ledger.sentBetween(from, to).filter(({ milliseconds }) => milliseconds > usual + costOfAWait).length;

  /** Nobody was refused, few waited, none for long, and once the servers knew, it was as ever. */
  const expectNobodyHurt = ({ ledger, quiet, begun, recoverable, figures }: Outcome) => {
    expect([figures.refused, figures.cut]).toEqual([0, 0]);
    const steady = ledger.sentBetween(begun + learning, recoverable);
    expect(steady.length).toBeGreaterThan(50);
    // Wide margins: this machine does other things, too.
    expect(quantile(steady, 0.5)).toBeLessThan(quantile(quiet, 0.5) * 2 + 10);
    expect(quantile(steady, 0.9)).toBeLessThan(quantile(quiet, 0.9) * 2 + costOfAWait);
    const usual = Math.max(quantile(quiet, 0.95), 30);
    expect(tooSlow(ledger, begun, begun + learning, usual)).toBeLessThanOrEqual(15);
    expect(tooSlow(ledger, begun + learning, recoverable, usual)).toBeLessThan(steady.length * 0.05);
  };

  it('is killed, requests go on as fast, each server counts for itself, and together when it is back', async () => {
    const outcome = await underLoad('Redis killed and back', under.target, () =>
      withoutRedis(
        () => redis.kill(),
        () => redis.start(),
      ),
    );
    expectNobodyHurt(outcome);
  });

  it('hangs, requests go on after a few short waits, each server counts for itself, and together when it goes on', async () => {
    const outcome = await underLoad('Redis hangs and goes on', under.target, () =>
      withoutRedis(
        () => redis.hang(),
        () => redis.goOn(),
      ),
    );
    expectNobodyHurt(outcome);
  });
});
