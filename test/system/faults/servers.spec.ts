import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlledProcess } from '../../../scripts/cluster/controlled-process.js';
import { createCluster, type ClusterUnderTest, untilServing } from './support/cluster-target.js';
import { type Exchange, parsed, PartnerClient, type Sending } from './support/exchange.js';
import { isAcknowledged } from './support/ledger.js';
import { underLoad } from './support/under-load.js';

const burstSize = 60;
/** More than the minimum only until a kill interrupted a create that was applied without a response. */
const fewestKills = 2;
const mostKills = 12;
/** For all retries after a kill. */
const mostMilliseconds = 20_000;

/** Results of creates during which one server was killed. */
interface Burst {
  readonly cut: number;
  /** Interrupted creates that had been applied, as the other server replays them. */
  readonly done: number;
}

/** Sends creates at once to one server, which is killed at the first response; repeats all on the other server. */
async function killMidWrite(under: ClusterUnderTest, killed: ControlledProcess): Promise<Burst> {
  const { cluster, target } = under;
  const addressOf = (isKilled: boolean) =>
    cluster.servers.filter((server) => (server === killed) === isKilled).map(({ url }) => url);
  const client = new PartnerClient(addressOf(true), target.partner.apiKey);
  const other = new PartnerClient(addressOf(false), target.partner.apiKey);
  const run = `burst-${randomUUID()}`;
  const sendings = Array.from({ length: burstSize }, (_, index): Sending => {
    const path = `/teams/${target.partner.teamIds[0] ?? ''}/players`;
    const body = { name: `${run}-${index}` };
    return { purpose: 'new player', method: 'POST', path, body, idemKey: randomUUID() };
  });
  const first = sendings.map((sending) => client.send(sending));
  await Promise.race(first);
  await killed.kill();
  const before = await Promise.all(first);
  const begun = performance.now();
  const after = await Promise.all(sendings.map((sending) => other.sendUntilServed(sending)));
  // A lock that outlives the killed process would delay a retry for longer, a busy machine does not.
  expect(performance.now() - begun).toBeLessThan(mostMilliseconds);
  client.close();
  other.close();

  expect(after.map(({ status }) => status)).toEqual(sendings.map(() => 201));
  // A create that had a response gets the same one again.
  before.forEach((answer, index) => {
    if (isAcknowledged(answer)) expect(after[index]?.text).toBe(answer.text);
  });
  const stored = await target.database
    .collection('players')
    .find({ name: { $regex: `^${run}` } })
    .toArray();
  expect(stored.map(({ _id }) => String(_id)).sort()).toEqual(
    after.map(({ text }) => String(parsed(text)?.['_id'])).sort(),
  );
  const cut = after.filter((_, index) => before[index]?.status === undefined);
  return { cut: cut.length, done: cut.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length };
}

const doneOf = (bursts: readonly Burst[]) => bursts.reduce((sum, { done }) => sum + done, 0);
const isCut = ({ status }: Exchange) => status === undefined;
const endOf = ({ sentAt, milliseconds }: Exchange) => sentAt + milliseconds;

let under: ClusterUnderTest;
beforeAll(async () => {
  under = await createCluster({ members: 1, servers: 2, redis: false, proxy: true });
}, 120_000);
afterAll(() => under.stop());

describe('while servers that partners call directly', () => {
  it('are killed during writes, retries on the other server have one effect each', async () => {
    const { cluster } = under;
    const target = { ...under.target, bases: cluster.servers.map(({ url }) => url) };
    const bursts: Burst[] = [];
    const kills: { begun: number; over: number }[] = [];
    const { ledger } = await underLoad(
      target,
      async () => {
        const first = performance.now();
        for (let kill = 0; kill < fewestKills || (doneOf(bursts) === 0 && kill < mostKills); kill++) {
          const server = cluster.servers[kill % cluster.servers.length];
          if (server === undefined) throw new Error('There is no server');
          const begun = performance.now();
          bursts.push(await killMidWrite(under, server));
          await server.start();
          kills.push({ begun, over: performance.now() });
          await sleep(500);
        }
        return { begun: first, recoverable: performance.now() };
      },
      { cuts: true },
    );
    const cut = bursts.reduce((sum, burst) => sum + burst.cut, 0);
    const done = doneOf(bursts);
    console.log(`Creates cut by the kills: ${cut}, of which ${done} had taken effect already.`);
    // Otherwise no retry could have duplicated anything.
    expect(done).toBeGreaterThan(0);
    // Only the kills broke connections.
    const unexplained = ledger.exchanges
      .filter(isCut)
      .filter((exchange) => !kills.some(({ begun, over }) => endOf(exchange) >= begun && endOf(exchange) <= over));
    expect(unexplained).toEqual([]);
  });
});

describe('behind the proxy, while', () => {
  it('all servers are restarted one by one, no request fails', async () => {
    const { cluster, target } = under;
    const stops: { begun: number; over: number }[] = [];
    const { ledger } = await underLoad(target, async () => {
      const first = performance.now();
      for (const server of cluster.servers) {
        const begun = performance.now();
        expect(await server.stop()).toEqual({ code: 0, signal: null });
        await server.start();
        await untilServing(server);
        stops.push({ begun, over: performance.now() });
      }
      return { begun: first, recoverable: first };
    });
    for (const { begun, over } of stops) expect(ledger.sentBetween(begun, over).length).toBeGreaterThan(20);
    const failed = ledger.exchanges.filter((exchange) => !isAcknowledged(exchange));
    expect(failed.map(({ purpose, status, cut, text }) => `${purpose}: ${status ?? cut} ${text}`)).toEqual([]);
  });
});
