import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { MongodProcess } from '../../support/mongod-process.js';
import { eventually } from '../../support/processes.js';
import { RunningServer } from '../../support/server.js';
import { DatabaseProxy } from './support/database-proxy.js';
import type { Exchange } from './support/exchange.js';
import { isAcknowledged, isRefused, type Ledger, quantile } from './support/ledger.js';
import { aPartner } from './support/partner.js';
import { type Disturbance, type Target, underLoad } from './support/under-load.js';

/** How long each fault lasts at least, in milliseconds: longer than a server waits before it refuses a request. */
const lasting = 5_000;
/** A server refuses a request that is not served after 4.5 s, and responds to all within 5 s; in milliseconds. */
const earliestTimeout = 4_400;
const promisedResponse = 5_500;
/** Requests are served again within this time after the network is whole, in milliseconds. */
const promisedRecovery = 5_000;

/** Two servers on one database, each of their connections to it through a proxy. */
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
    const bases = servers.map(({ url }) => url);
    const partner = await aPartner(bases[0] ?? '');
    target = { bases, partner, database: client.db(), logs: servers.map((server) => () => server.log) };
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

  /** Breaks the network for some seconds, and until `isFelt` holds for a response; then heals it. */
  const breakNetwork = async (ledger: Ledger, harm: () => void, isFelt: typeof isRefused): Promise<Disturbance> => {
    const begun = performance.now();
    harm();
    await sleep(lasting);
    const sentSince = () => ledger.sentBetween(begun, performance.now());
    await eventually('requests feel the fault', () => sentSince().some(isFelt), 30);
    proxy.heal();
    return { begun, recoverable: performance.now() };
  };

  it('delays everything by 300 ms each way, requests are answered later, and none is refused early', async () => {
    const delay = 300;
    const { ledger, begun, recoverable, figures, usual } = await underLoad('network delays', target, (ledger) =>
      breakNetwork(ledger, () => proxy.delayBy(delay), isAcknowledged),
    );
    const delayed = ledger.answeredBetween(begun, recoverable).filter(({ sentAt }) => sentAt >= begun);
    // Most requests need the database: there and back.
    expect(quantile(delayed, 0.5)).toBeGreaterThan(2 * delay - 2);
    expectMostAcknowledged(delayed);
    // On a busy machine, the several round trips of a write may take all the time that it has.
    expect(ledger.exchanges.filter(isRefused).filter(({ milliseconds }) => milliseconds < earliestTimeout)).toEqual([]);
    expect(figures.recovery).toBeLessThan(promisedRecovery + usual);
  });

  it('loses everything in silence, requests are refused in time, and served again when it is whole', async () => {
    const { figures, usual } = await underLoad('network drops', target, (ledger) =>
      breakNetwork(ledger, () => proxy.swallow(), isRefused),
    );
    expect(proxy.harmed).toBeGreaterThan(0);
    expect(figures.longestWait).toBeLessThan(promisedResponse + usual);
    expect(figures.recovery).toBeLessThan(promisedRecovery + usual);
  });

  it('resets every connection, requests are refused at once, and served again when it is whole', async () => {
    const { figures, usual } = await underLoad('network resets', target, (ledger) =>
      breakNetwork(ledger, () => proxy.reset(), isRefused),
    );
    expect(proxy.harmed).toBeGreaterThan(0);
    expect(figures.recovery).toBeLessThan(promisedRecovery + usual);
  });

  it('half-closes every connection again and again, requests go on', async () => {
    const { ledger, begun, recoverable, figures, usual } = await underLoad(
      'network half-closes',
      target,
      async (ledger) => {
        const begun = performance.now();
        const sent = () => ledger.sentBetween(begun, performance.now()).length;
        for (let elapsed = 0; elapsed < lasting || sent() <= 100; elapsed += 1_000) {
          proxy.halfClose();
          await sleep(1_000);
        }
        return { begun, recoverable: performance.now() };
      },
    );
    expect(proxy.harmed).toBeGreaterThan(0);
    expectMostAcknowledged(ledger.sentBetween(begun, recoverable));
    expect(figures.recovery).toBeLessThan(promisedRecovery + usual);
  });
});

function expectMostAcknowledged(exchanges: readonly Exchange[]): void {
  expect(exchanges.filter(isAcknowledged).length).toBeGreaterThanOrEqual(exchanges.length / 2);
}
