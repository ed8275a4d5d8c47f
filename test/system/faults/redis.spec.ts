import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/processes.js';
import { aCluster, type ClusterUnderTest } from './support/cluster-target.js';
import { PartnerClient } from './support/exchange.js';
import type { Figures } from './support/figures.js';
import type { Ledger } from './support/ledger.js';
import { aPartnerKey } from './support/partner.js';
import { commandsWhileHanging } from './support/redis-commands.js';
import { underLoad } from './support/under-load.js';

/** How long Redis is away or hangs at least: longer than the servers keep a connection on which it does not answer. */
const lasting = 4_000;
/** The fewest requests that are sent meanwhile. */
const fewest = 200;
/**
 * The most of them that may wait for a Redis that hangs. Each of the two servers asks until three requests have failed,
 * while each of the eight clients has one under way, and then once a second until it gives the connection up.
 */
const mostWaiting = 50;

/** Two servers that share the counts of requests. */
describe('while Redis', () => {
  let under: ClusterUnderTest;
  let redis: NonNullable<ClusterUnderTest['cluster']['redis']>;

  beforeAll(async () => {
    under = await aCluster({ members: 1, servers: 2, redis: true, proxy: false });
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
  // A server that got an answer too late counts for itself for a second: on a busy machine this takes several tries.
  const untilCountedTogether = () => eventually('the servers count together', areCountedTogether, 60);

  /** Waits while Redis is away, until enough requests were sent; each server must count for itself. */
  const stayAway = async (ledger: Ledger) => {
    const begun = performance.now();
    const [first, second] = await leftAtEach();
    expect(second).toBe(first);
    await sleep(lasting);
    const isEnough = () => ledger.sentBetween(begun, performance.now()).length >= fewest;
    await eventually('enough requests are sent', isEnough, 60);
  };

  const expectNoneFailed = ({ refused, cut }: Figures) => expect([refused, cut]).toEqual([0, 0]);

  it('is killed, requests go on, each server counts for itself, and together when it is back', async () => {
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

  it('hangs, a few requests wait for it, each server counts for itself, and together when it goes on', async () => {
    let commands = 0;
    const { figures } = await underLoad('Redis hangs and goes on', under.target, async (ledger) => {
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
