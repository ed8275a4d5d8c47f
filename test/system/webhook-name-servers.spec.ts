import { setTimeout as sleep } from 'node:timers/promises';
import { database, MongodProcess } from '../support/mongod-process.js';
import { NameServer } from '../support/name-server.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** The server has to resolve the name again for the next request. */
const endConnection: WebhookReceiver['respond'] = (response) => {
  response.writeHead(204, { Connection: 'close' }).end();
};

describe('ten endpoints whose name servers do not respond, and 60 tests of them a minute', () => {
  let nameServer: NameServer;
  let mongod: MongodProcess;
  let receiver: WebhookReceiver;
  let server: RunningServer;
  let organization: TestOrganization;
  let endpoint: string;
  let attack: Promise<void>;
  let isOver = false;

  const create = async (of: TestOrganization, url: string) =>
    ((await of.call('post', '/webhook-endpoints').send({ url }).expect(201)).body as Stored)._id;
  const sendTest = (of: TestOrganization, id: string) => of.call('post', `/webhook-endpoints/${id}/test`);

  beforeAll(async () => {
    nameServer = await NameServer.start((name) => (name === 'good.example.com' ? ['127.0.0.1'] : null));
    [mongod, receiver] = await Promise.all([MongodProcess.start(), WebhookReceiver.start(endConnection)]);
    server = await RunningServer.start({
      ...preload(cheapHashes, nameServer.preloaded),
      // By a name, as in most deployments.
      MONGODB_URI: `mongodb://localhost:${mongod.port}/${database}?directConnection=true`,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    });
    organization = await createOrganization(server);
    const attacker = await createOrganization(server);
    const silent = await Promise.all(
      [...Array(10).keys()].map((each) => create(attacker, `https://${each}.example.net`)),
    );
    endpoint = await create(organization, receiver.url.replace('127.0.0.1', 'good.example.com'));
    attack = (async () => {
      for (let sent = 0; !isOver; sent++) {
        await sendTest(attacker, silent[sent % 10] ?? '').catch(() => undefined);
        if (sent >= 10) await sleep(1_000);
      }
    })();
    await eventually('two look-ups run', () => new Set(nameServer.asked).size >= 2);
  });
  afterAll(async () => {
    isOver = true;
    await attack;
    nameServer.stop();
    await Promise.all([server.end(), receiver.stop()]);
    await mongod.remove();
  });

  it('do not keep the server from using a restarted database', async () => {
    await mongod.kill();
    await mongod.start();
    const isUsed = async () => (await organization.call('get', '/teams')).status === 200;
    await eventually('the database is used', isUsed, 10);
    // Also by webhooks, whose connections ended meanwhile.
    const { length } = receiver.events;
    await sendTest(organization, endpoint).expect(202);
    await receiver.waitFor(length + 1, 5);
  });
});
