import { RunningServer } from '../../support/server.js';
import { testDatabaseUri } from '../../support/test-database.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { WebhookRun } from './support/webhook-run.js';

type Respond = WebhookReceiver['respond'];

const allowed = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };
const off = { WEBHOOK_WORKER: 'off' };

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

describe('every event arrives although', () => {
  it('a server is killed during a delivery', async () => {
    const [killed, writer] = await startTwo({}, off);
    const run = await startRun(killed, first(1, hang));
    await run.write(5);
    await run.receiver.waitFor(1);
    await killed.end('SIGKILL');
    const next = await startAnother(killed);
    await run.write(5, [writer]);
    await run.finish(next);
  });

  it('one of two servers stops, and once while none does', async () => {
    const [one, other] = await startTwo({}, {});
    const run = await startRun(one, after(10));
    await run.write(20, [one, other]);
    await run.finish();
    expect(run.receiver.received.length).toBe(40);
    const runs = await Promise.all([0, 1, 2].map(() => startRun(other, after(100))));
    const writing = runs.map((each) => each.write(10));
    await Promise.all(runs.map(({ receiver }) => receiver.waitFor(2)));
    expect(await one.end()).toBe(0);
    await Promise.all(writing);
    await Promise.all(runs.map((each) => each.finish()));
  });
});
