import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlledProcess } from '../../../scripts/cluster/controlled-process.js';
import { eventually } from '../../support/processes.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { createCluster, type ClusterUnderTest, healthyMembers } from './support/cluster-target.js';
import { waited } from './support/ledger.js';
import { type Target, underLoad } from './support/under-load.js';
import { WebhookRun } from './support/webhook-run.js';

/** A replica set of three and two servers; half of the requests go through the proxy. */
describe('while the database', () => {
  let under: ClusterUnderTest;
  let target: Target;

  beforeAll(async () => {
    const allowed = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };
    under = await createCluster({ members: 3, servers: 2, redis: false }, allowed);
    target = { ...under.target, servers: under.servers.flatMap((server) => [server, under.proxy]) };
  }, 120_000);
  afterAll(() => under.stop());

  const isWhole = async () => (await healthyMembers(under.client).catch(() => 0)) === under.cluster.members.length;
  const untilWhole = () => eventually('the replica set is whole', isWhole, 60);
  beforeEach(untilWhole);

  it('loses all members, its primary last, another one is elected, and nothing that was confirmed is lost', async () => {
    const { cluster } = under;
    const old = await cluster.primary();
    let next: ControlledProcess | undefined;
    const { ledger, begun } = await underLoad(target, async () => {
      const others = cluster.members.filter((member) => member !== old);
      const begun = performance.now();
      await Promise.all(others.map((other) => other.kill()));
      // Only the old primary has these writes: none of them may have been confirmed.
      await sleep(500);
      await old.kill();
      await Promise.all(others.map((other) => other.start()));
      const recoverable = performance.now();
      next = await cluster.primary();
      await sleep(1_500);
      await old.start();
      await untilWhole();
      return { begun, recoverable };
    });
    expect(next?.name).not.toBe(old.name);
    // Without a primary no request succeeds, so some were rejected or delayed.
    expect(ledger.sentBetween(begun - 500, begun + 2_000).filter(waited)).not.toEqual([]);
  });

  it('has a hanging primary, another one is elected, and writes that the old one received meanwhile are rolled back', async () => {
    const { cluster } = under;
    const old = await cluster.primary();
    let next: ControlledProcess | undefined;
    const { ledger, begun } = await underLoad(target, async () => {
      const begun = performance.now();
      old.hang();
      next = await cluster.primary();
      await sleep(Math.max(0, begun + 8_000 - performance.now()));
      old.resume();
      await untilWhole();
      return { begun, recoverable: begun };
    });
    expect(next?.name).not.toBe(old.name);
    expect(ledger.sentBetween(begun - 500, begun + 2_000).filter(waited)).not.toEqual([]);
  });

  it('loses its primary during deliveries, every event arrives', async () => {
    const { cluster } = under;
    const receiver = await WebhookReceiver.start((response) => {
      setTimeout(() => response.writeHead(204).end(), 20);
    });
    const builds = () =>
      cluster.servers.map(
        ({ logFile }) => readFileSync(logFile, 'utf8').split('The change feed is being built').length,
      );
    const before = builds();
    const run = await WebhookRun.start(under.proxy, receiver);
    const writing = run.write(40, under.servers);
    await receiver.waitFor(10);
    await (await cluster.primary()).kill();
    await writing;
    await run.finish();
    // A rebuild misses changes.
    expect(builds()).toEqual(before);
    await receiver.stop();
  });
});
