import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createOrganization } from '../../support/organization.js';
import { RunningServer } from '../../support/server.js';
import { shiftedClock } from '../../support/shifted-clock.js';
import { testDatabaseUri } from '../../support/test-database.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { createCluster } from './support/cluster-target.js';
import { WebhookRun } from './support/webhook-run.js';

type Respond = WebhookReceiver['respond'];

const allowed = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };
const off = { WEBHOOK_WORKER: 'off' };
const tenMegabytes = Array.from({ length: 10 }, () => Buffer.alloc(1_000_000));

const accept: Respond = (response) => void response.writeHead(204).end();
const hang: Respond = () => undefined;
const after =
  (milliseconds: number): Respond =>
  (response, received) =>
    void setTimeout(() => accept(response, received), milliseconds);

/** Responds to the first requests with a fault, and accepts the others. */
function first(count: number, fault: Respond): Respond {
  let responses = 0;
  return (response, received) => (responses++ < count ? fault : accept)(response, received);
}

/** Starts cases at once, because each mostly waits, and registers a test for each. */
function inParallel(cases: Record<string, () => Promise<void>>): void {
  const running = new Map<string, Promise<unknown>>();
  beforeAll(() => {
    for (const [name, run] of Object.entries(cases)) {
      running.set(
        name,
        run().catch((error: unknown) => error),
      );
    }
  });
  it.each(Object.keys(cases))('%s', async (name) => expect(await running.get(name)).toBeUndefined());
}

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(cleanups.map((clean) => clean())));

async function startServer(environment: Record<string, string>): Promise<RunningServer> {
  const server = await RunningServer.start({ ...allowed, ...environment });
  cleanups.push(() => server.end('SIGKILL'));
  return server;
}

/** Starts two servers on a new database in turn, as the first one creates the indexes. */
async function startTwo(first: object, second: object): Promise<[RunningServer, RunningServer]> {
  const MONGODB_URI = testDatabaseUri('webhooks');
  return [await startServer({ MONGODB_URI, ...first }), await startServer({ MONGODB_URI, ...second })];
}

const startAnother = ({ databaseUri }: RunningServer) => startServer({ MONGODB_URI: databaseUri });

async function startReceiver(respond?: Respond): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(respond);
  cleanups.push(() => receiver.stop());
  return receiver;
}

async function startRun(server: RunningServer, respond?: Respond): Promise<WebhookRun> {
  return WebhookRun.start(server, await startReceiver(respond));
}

/** Writes to a receiver until every event has arrived. */
async function runCase(server: RunningServer, fault: string, players: number, respond: Respond): Promise<WebhookRun> {
  const run = await startRun(server, respond);
  await run.write(players);
  await run.finish(fault);
  return run;
}

let server: RunningServer;
beforeAll(async () => (server = await startServer({})));

// Alone, so that other cases do not add to its delays.
it('events arrive beside ten receivers that hang, before the first of these has used up its time', async () => {
  const [slow, hanging] = await Promise.all([createOrganization(server), startReceiver(hang)]);
  const subscribe = () => slow.call('post', '/webhook-endpoints').send({ url: hanging.url }).expect(201);
  for (let each = 0; each < 10; each++) await subscribe();
  await slow.team();
  await hanging.waitFor(10);
  const { delays } = await runCase(server, 'beside ten hanging receivers', 20, accept);
  const response = await slow.call('get', '/webhook-endpoints').expect(200);
  const { data } = response.body as { data: object[] };
  expect(data.filter((endpoint) => 'lastDelivery' in endpoint)).toEqual([]);
  const [median, p99] = [0.5, 0.99].map((share) => delays[Math.ceil(delays.length * share) - 1]);
  console.log(`Delay beside ten hanging receivers: p50 ${median} ms, p99 ${p99} ms.`);
});

describe('every event arrives although', () => {
  inParallel({
    'its receiver responds 500 twice': async () => {
      const fail: Respond = (response) => void response.writeHead(500).end();
      await runCase(server, 'receiver responds 500 twice', 10, first(2, fail));
    },
    'its receiver hangs once': async () => {
      await runCase(server, 'receiver hangs once', 5, first(1, hang));
    },
    'its receiver redirects once, and nothing is sent to the other address': async () => {
      const other = await startReceiver();
      const redirect: Respond = (response) => void response.writeHead(302, { Location: other.url }).end();
      await runCase(server, 'receiver redirects once', 10, first(1, redirect));
      expect(other.received).toEqual([]);
    },
    'its receiver sends 10 MB, which are not read in full': async () => {
      let complete = 0;
      const { receiver } = await runCase(server, 'receiver sends 10 MB', 5, (response) => {
        response.writeHead(200, { 'Content-Length': 10_000_000 });
        pipeline(tenMegabytes, response, (error) => (complete += error ? 0 : 1));
      });
      expect([complete, receiver.received.length]).toEqual([0, 10]);
    },
    'its receiver closes the connection within a successful response once': async () => {
      const half: Respond = (response) => {
        response.writeHead(200, { 'Content-Length': 100 }).write('half', () => response.destroy());
      };
      const { receiver } = await runCase(server, 'receiver closes mid-response', 10, first(1, half));
      // The status has arrived.
      expect(receiver.received.length).toBe(20);
    },
    'the clock of its server is behind, without waiting for the time of the change': async () => {
      const behind = await startServer(shiftedClock(-10_000));
      const { receiver } = await runCase(behind, 'clock 10 s behind the database', 5, accept);
      const late = receiver.received.filter(
        ({ headers, event }) => Number(headers['webhook-timestamp']) * 1_000 > Date.parse(event.timestamp),
      );
      expect(late).toEqual([]);
    },
    'a server is killed during a delivery': async () => {
      const [killed, writer] = await startTwo({}, off);
      const run = await startRun(killed, first(1, hang));
      await run.write(5);
      await run.receiver.waitFor(1);
      await killed.end('SIGKILL');
      const next = await startAnother(killed);
      await run.write(5, [writer]);
      await run.finish('server killed -9 during a delivery', next);
    },
    'the only server was killed before it delivered': async () => {
      const killed = await startServer(off);
      const run = await startRun(killed);
      await run.write(10);
      await killed.end('SIGKILL');
      const next = await startAnother(killed);
      await run.finish('server killed -9 before deliveries', next);
    },
    'one of two servers stops, and once while none does': async () => {
      const [one, other] = await startTwo({}, {});
      const run = await startRun(one, after(10));
      await run.write(20, [one, other]);
      await run.finish('two servers');
      expect(run.receiver.received.length).toBe(40);
      const runs = await Promise.all([0, 1, 2].map(() => startRun(other, after(100))));
      const writing = runs.map((each) => each.write(10));
      await Promise.all(runs.map(({ receiver }) => receiver.waitFor(2)));
      expect(await one.end()).toBe(0);
      await Promise.all(writing);
      await Promise.all(runs.map((each) => each.finish('one of two servers stopped')));
    },
    'a server stops while its receiver hangs': async () => {
      const [stopped, writer] = await startTwo({}, off);
      const run = await startRun(writer, first(1, hang));
      await run.write(5);
      await run.receiver.waitFor(1);
      expect(await stopped.end()).toBe(0);
      await startAnother(writer);
      await run.finish('server stopped while a receiver hangs');
    },
  });
});

it('every event arrives although the primary is killed', async () => {
  const under = await createCluster({ members: 3, servers: 2, redis: false, proxy: false }, allowed);
  const { cluster } = under;
  try {
    const urls = cluster.servers.map(({ url }) => url);
    const servers = await Promise.all(urls.map((url) => RunningServer.at(url, cluster.uri)));
    const [one] = servers as [RunningServer];
    const builds = () =>
      cluster.servers.map(
        ({ logFile }) => readFileSync(logFile, 'utf8').split('The change feed is being built').length,
      );
    const before = builds();
    const run = await startRun(one, after(20));
    const writing = run.write(40, servers);
    await run.receiver.waitFor(10);
    await (await cluster.primary()).kill();
    await writing;
    await run.finish('primary killed, elected anew');
    // A rebuild misses changes.
    expect(builds()).toEqual(before);
  } finally {
    await under.stop();
  }
});
