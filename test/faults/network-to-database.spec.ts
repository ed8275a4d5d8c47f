import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { OwnMongod } from '../support/own-mongod.js';
import { RunningServer } from '../support/server.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { isAcknowledged, isRefused, quantile } from './support/ledger.js';
import { aPartner } from './support/partner.js';
import { type Disturbance, type Target, underLoad } from './support/under-load.js';

/** How long each fault lasts, in milliseconds: where all is lost, longer than a server waits before it refuses. */
const lasting = 4_000;
const lossLasting = 5_000;

/** Two servers on one database, each of their connections to it through a proxy. */
describe('while the network to the database', () => {
  let mongod: OwnMongod;
  let proxy: DatabaseProxy;
  let client: mongo.MongoClient;
  const servers: RunningServer[] = [];
  let target: Target;

  beforeAll(async () => {
    mongod = await OwnMongod.start();
    proxy = await DatabaseProxy.to(mongod.port);
    const name = 'network';
    const environment = { MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/${name}?directConnection=true` };
    servers.push(await RunningServer.start(environment), await RunningServer.start(environment));
    client = new mongo.MongoClient(`mongodb://127.0.0.1:${mongod.port}/${name}?directConnection=true`);
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

  /** Does something to the network for some seconds, and heals it. */
  const forAWhile = async (harm: () => void, milliseconds = lasting): Promise<Disturbance> => {
    const begun = performance.now();
    harm();
    await sleep(milliseconds);
    proxy.heal();
    return { begun, recoverable: performance.now() };
  };

  it('delays everything by 300 ms each way, requests are answered later, and none is refused', async () => {
    const delay = 300;
    const { ledger, begun, quiet, recoverable, figures } = await underLoad('network delays', target, () =>
      forAWhile(() => proxy.delayBy(delay)),
    );
    const delayed = ledger.sentBetween(begun, recoverable - 2_000).filter(isAcknowledged);
    expect(quantile(delayed, 0.5)).toBeGreaterThan(quantile(quiet, 0.5) + 2 * delay);
    expect(figures.refused).toBe(0);
    expect(figures.recovery).toBeLessThan(4_000);
  });

  it('loses everything in silence, requests are refused in time, and served again when it is whole', async () => {
    const { ledger, begun, recoverable, figures } = await underLoad('network drops', target, () =>
      forAWhile(() => proxy.swallow(), lossLasting),
    );
    expect(proxy.harmed).toBeGreaterThan(0);
    expect(ledger.answeredBetween(begun, recoverable).filter(isRefused).length).toBeGreaterThan(0);
    expect(figures.longestWait).toBeLessThan(5_500);
    expect(figures.recovery).toBeLessThan(5_000);
  });

  it('resets every connection, requests are refused at once, and served again when it is whole', async () => {
    const { ledger, begun, recoverable, figures } = await underLoad('network resets', target, () =>
      forAWhile(() => proxy.reset()),
    );
    expect(proxy.harmed).toBeGreaterThan(0);
    expect(ledger.answeredBetween(begun, recoverable).filter(isRefused).length).toBeGreaterThan(0);
    expect(figures.recovery).toBeLessThan(5_000);
  });

  it('half-closes every connection again and again, requests go on', async () => {
    const { ledger, begun, recoverable, figures } = await underLoad('network half-closes', target, async () => {
      const begun = performance.now();
      for (let elapsed = 0; elapsed < lasting; elapsed += 1_000) {
        proxy.halfClose();
        await sleep(1_000);
      }
      return { begun, recoverable: performance.now() };
    });
    expect(proxy.harmed).toBeGreaterThan(0);
    const meanwhile = ledger.sentBetween(begun, recoverable);
    expect(meanwhile.length).toBeGreaterThan(100);
    expect(meanwhile.filter(isAcknowledged).length).toBeGreaterThanOrEqual(meanwhile.length / 2);
    expect(figures.recovery).toBeLessThan(5_000);
  });
});
