import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Exchange } from '../../support/feed-writers.js';
import { MongodProcess } from '../../support/mongod-process.js';
import { eventually } from '../../support/processes.js';
import { RunningServer } from '../../support/server.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { isRejected, quantile } from './support/ledger.js';
import { type Target, underLoad } from './support/under-load.js';

/** Minimum duration of each fault in milliseconds: longer than the deadline of a request. */
const lasting = 5_000;
/** Maximum response time in milliseconds: a server rejects a request after 4.5 s. */
const earliestTimeout = 4_400;
/** Maximum time from the repair of the network until requests are served again, in milliseconds. */
const promisedRecovery = 5_000;

/** Two servers that connect to one database through a proxy. */
describe('while the network to the database', () => {
  let mongod: MongodProcess;
  let proxy: DatabaseProxy;
  let client: MongoClient;
  const servers: RunningServer[] = [];
  let target: Target;

  beforeAll(async () => {
    mongod = await MongodProcess.start();
    proxy = await DatabaseProxy.to(mongod.port);
    const name = 'network';
    const environment = { MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/${name}?directConnection=true` };
    servers.push(await RunningServer.start(environment), await RunningServer.start(environment));
    client = new MongoClient(`mongodb://127.0.0.1:${mongod.port}/${name}?directConnection=true`);
    target = { servers, database: client.db(), logs: servers.map((server) => () => server.log) };
  });
  afterAll(async () => {
    for (const server of servers) await server.end();
    await client.close();
    await proxy.remove();
    await mongod.remove();
  });
  beforeEach(() => {
    proxy.harmed = 0;
  });

  it('delays everything by 300 ms each way, requests take longer, and none is rejected early', async () => {
    const delay = 300;
    const { ledger, begun, recoverable, recovery, usual } = await underLoad(target, async (ledger) => {
      const begun = performance.now();
      proxy.delayBy(delay);
      await sleep(lasting);
      const sentSince = () => ledger.sentBetween(begun, performance.now());
      await eventually('requests are delayed', () => !sentSince().every(isRejected), 30);
      proxy.delayBy(0);
      return { begun, recoverable: performance.now() };
    });
    const delayed = ledger.answeredBetween(begun, recoverable).filter(({ sentAt }) => sentAt >= begun);
    // Most requests need one round trip to the database.
    expect(quantile(delayed, 0.5)).toBeGreaterThan(2 * delay - 2);
    expectMostServed(delayed);
    // On a busy machine, the round trips of a write can exceed its deadline.
    expect(ledger.exchanges.filter(isRejected).filter(({ milliseconds }) => milliseconds < earliestTimeout)).toEqual(
      [],
    );
    expect(recovery).toBeLessThan(promisedRecovery + usual);
  });

  it('half-closes every connection repeatedly, requests continue', async () => {
    const { ledger, begun, recoverable, recovery, usual } = await underLoad(target, async (ledger) => {
      const begun = performance.now();
      const sent = () => ledger.sentBetween(begun, performance.now()).length;
      for (let elapsed = 0; elapsed < lasting || sent() <= 100; elapsed += 1_000) {
        proxy.halfClose();
        await sleep(1_000);
      }
      return { begun, recoverable: performance.now() };
    });
    expect(proxy.harmed).toBeGreaterThan(0);
    expectMostServed(ledger.sentBetween(begun, recoverable));
    expect(recovery).toBeLessThan(promisedRecovery + usual);
  });
});

function expectMostServed(exchanges: readonly Exchange[]): void {
  expect(exchanges.filter(isRejected).length).toBeLessThanOrEqual(exchanges.length / 2);
}
