import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlledProcess } from '../../../scripts/cluster/controlled-process.js';
import type { Response } from 'supertest';
import { isConclusive, sendUnlessKilled } from '../../support/feed-model.js';
import type { Exchange } from '../../support/feed-writers.js';
import { createOrganization, type Stored, type TestOrganization } from '../../support/organization.js';
import { eventually } from '../../support/processes.js';
import { createCluster, type ClusterUnderTest, untilServing } from './support/cluster-target.js';
import { isRejected } from './support/ledger.js';
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
async function killMidWrite(
  killed: ControlledProcess,
  [one, other]: readonly [TestOrganization, TestOrganization],
  teamId: string,
): Promise<Burst> {
  const run = `burst-${randomUUID()}`;
  const creates = Array.from({ length: burstSize }, (_, index) => {
    const key = randomUUID();
    const fields = { name: `${run}-${index}` };
    return (partner: TestOrganization) =>
      sendUnlessKilled(() => partner.call('post', `/teams/${teamId}/players`).set('idem-key', key).send(fields));
  });
  const first = creates.map((create) => create(one));
  await Promise.race(first);
  await killed.kill();
  const before = await Promise.all(first);
  const begun = performance.now();
  const after = await Promise.all(creates.map((create) => untilAnswered(() => create(other))));
  // A lock that outlives the killed process would delay a retry for longer, a busy machine does not.
  expect(performance.now() - begun).toBeLessThan(mostMilliseconds);

  expect(after.map(({ status }) => status)).toEqual(creates.map(() => 201));
  // A create that had a response gets the same one again.
  before.forEach((answer, index) => {
    if (answer?.status === 201) expect(after[index]?.text).toBe(answer.text);
  });
  const stored = await under.target.database
    .collection('players')
    .find({ name: { $regex: `^${run}` } })
    .toArray();
  expect(stored.map(({ _id }) => String(_id)).sort()).toEqual(after.map(({ body }) => (body as Stored)._id).sort());
  const cut = after.filter((_, index) => before[index] === undefined);
  return { cut: cut.length, done: cut.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length };
}

/** Repeats a create until a response says what has become of it. */
async function untilAnswered(send: () => Promise<Response | undefined>): Promise<Response> {
  let response: Response | undefined;
  await eventually('the create is answered', async () => isConclusive((response = await send())), 30);
  return response as unknown as Response;
}

const doneOf = (bursts: readonly Burst[]) => bursts.reduce((sum, { done }) => sum + done, 0);
const isCut = ({ response }: Exchange) => response === undefined;
const endOf = ({ sentAt, milliseconds }: Exchange) => sentAt + milliseconds;

let under: ClusterUnderTest;
beforeAll(async () => {
  under = await createCluster({ members: 1, servers: 2, redis: false });
}, 120_000);
afterAll(() => under.stop());

describe('while servers that partners call directly', () => {
  it('are killed during writes, retries on the other server have one effect each', async () => {
    const { cluster, servers, proxy } = under;
    const organization = await createOrganization(proxy);
    const { _id: teamId } = await organization.team();
    const [one, other] = servers.map((server) => organization.over(server)) as [TestOrganization, TestOrganization];
    const bursts: Burst[] = [];
    const kills: { begun: number; over: number }[] = [];
    const { ledger } = await underLoad(
      { ...under.target, servers },
      async () => {
        const first = performance.now();
        for (let kill = 0; kill < fewestKills || (doneOf(bursts) === 0 && kill < mostKills); kill++) {
          const server = cluster.servers[kill % cluster.servers.length];
          if (server === undefined) throw new Error('There is no server');
          const begun = performance.now();
          bursts.push(await killMidWrite(server, kill % 2 === 0 ? [one, other] : [other, one], teamId));
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
    expect(ledger.exchanges.filter(isRejected).map(({ name, response }) => [name, response?.text])).toEqual([]);
  });
});
