import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/processes.js';
import { createCluster, type ClusterUnderTest } from './support/cluster-target.js';
import { PartnerClient } from './support/exchange.js';
import type { Figures } from './support/figures.js';
import type { Ledger } from './support/ledger.js';
import { createPartnerKey } from './support/partner.js';
import { commandsWhileHanging } from './support/redis-commands.js';
import { underLoad } from './support/under-load.js';

/** Minimum duration of each fault: longer than servers keep a connection without responses. */
const lasting = 4_000;
/** Minimum number of requests during a fault. */
const fewest = 200;
/**
 * Maximum number of requests that wait for a hanging Redis. Each of the two servers sends commands until three
 * requests have failed, while each of the eight clients has one in flight, and then one per second until it drops the
 * connection.
 */
const mostWaiting = 50;

/** Two servers that share rate limits. */
describe('while Redis', () => {
  let under: ClusterUnderTest;
  let redis: NonNullable<ClusterUnderTest['cluster']['redis']>;

  beforeAll(async () => {
    under = await createCluster({ members: 1, servers: 2, redis: true, proxy: false });
    if (under.cluster.redis === undefined) throw new Error('There is no Redis');
    redis = under.cluster.redis;
  }, 120_000);
  afterAll(() => under.stop());

  /**
   * Returns what remains for a new key after one request to each server: one less on the second if counts are shared.
   */
  const leftAtEach = async (): Promise<number[]> => {
    const urls = under.cluster.servers.map(({ url }) => url);
    const client = new PartnerClient(urls, await createPartnerKey(urls[0] ?? '', under.target.partner.organizationId));
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
  // After a late response of Redis, a server counts by itself for a second: on a busy machine this takes several
  // attempts.
  const untilCountedTogether = () => eventually('the servers count together', areCountedTogether, 60);

  /** Waits during an outage until enough requests were sent; expects each server to count by itself. */
  const stayAway = async (ledger: Ledger) => {
    const begun = performance.now();
    const [first, second] = await leftAtEach();
    expect(second).toBe(first);
    await sleep(lasting);
    const isEnough = () => ledger.sentBetween(begun, performance.now()).length >= fewest;
    await eventually('enough requests are sent', isEnough, 60);
  };

  const expectNoneFailed = ({ rejected, cut }: Figures) => expect([rejected, cut]).toEqual([0, 0]);

  it('is down, requests continue, each server counts by itself, and counts are shared afterwards', async () => {
    const { figures } = await underLoad('Redis killed and back', under.target, async (ledger) => {
      await untilCountedTogether();
      const begun = performance.now();
      await redis.kill();
      await stayAway(ledger);
      const recoverable = performance.now();
      await redis.start();
      await untilCountedTogether();
      return { begun, recoverable };
    });
    expectNoneFailed(figures);
  });

  it('hangs, a few requests wait for it, each server counts by itself, and counts are shared afterwards', async () => {
    let commands = 0;
    const { figures } = await underLoad('Redis hangs and resumes', under.target, async (ledger) => {
      await untilCountedTogether();
      const begun = performance.now();
      commands = await commandsWhileHanging(redis, () => stayAway(ledger));
      const recoverable = performance.now();
      await untilCountedTogether();
      return { begun, recoverable };
    });
    expectNoneFailed(figures);
    expect(commands).toBeGreaterThan(0);
    expect(commands).toBeLessThan(mostWaiting);
  });
});
