import { ObjectId } from 'mongodb';
import { auditPage } from '../support/audit.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let receiver: WebhookReceiver;
let path: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start((response) => void response.writeHead(500).end());
  const body = { url: receiver.url, events: ['team.deleted'] };
  const { _id } = (await organization.call('post', '/webhook-endpoints').send(body).expect(201)).body as Stored;
  path = `/webhook-endpoints/${_id}`;
});
afterAll(() => receiver.stop());

const admin = (method: 'get' | 'post' | 'patch', of = '') => server.asSuperAdmin(method, `${path}${of}`);

describe('a super admin', () => {
  it('reads an endpoint, pings it, retries and recovers what failed; each change is audited', async () => {
    const own = (await organization.call('get', path)).body as { data: Stored };
    const named = { data: { ...own.data, organizationName: 'Bay Area Flag Football' } };
    expect((await admin('get').expect(200)).body).toEqual(named);
    const ping = (await admin('post', '/test').expect(202)).body as Stored;
    expect(ping).toMatchObject({ event: 'ping', status: 'pending' });
    await receiver.waitFor(1);
    const listed = () => admin('get', '/deliveries').expect(200);
    await eventuallyPasses(async () => {
      const attempts = [{ statusCode: 500 }];
      const lastAttemptAt = expect.stringMatching(/Z$/) as string;
      const data = [{ _id: ping._id, status: 'pending', attempts, record: 'ping', lastAttemptAt }];
      expect((await listed()).body).toMatchObject({ data, total: 1 });
    });
    const deliveries = (await server.database()).collection('webhookDeliveries');
    const failed = { $set: { status: 'failed' }, $unset: { nextAttemptAt: 1 } };
    await deliveries.updateOne({ _id: new ObjectId(ping._id) }, failed);
    receiver.respond = (response) => void response.writeHead(204).end();
    const since = new Date(Date.now() - 60_000).toISOString();
    expect((await admin('post', '/recover').send({ since }).expect(202)).body).toEqual({ data: { queued: 1 } });
    await receiver.waitFor(1);
    await eventuallyPasses(async () =>
      expect((await listed()).body).toMatchObject({ data: [{ status: 'succeeded' }] }),
    );
    const ofPartner = (await organization.call('get', `${path}/deliveries`).expect(200)).body as { data: object[] };
    expect(ofPartner.data).toEqual([expect.not.objectContaining({ record: 'ping' })]);
    await admin('post', `/deliveries/${ping._id}/retry`).expect(202);

    const { data } = await auditPage(server, `organizationId=${organization.id}&limit=3`);
    const common = { actor: { kind: 'user' }, target: { name: new URL(receiver.url).origin } };
    expect(data).toMatchObject([
      { ...common, action: 'retryWebhookDelivery' },
      { ...common, action: 'recoverWebhookEndpoint', changes: { since } },
      { ...common, action: 'testWebhookEndpoint' },
    ]);
  });

  it('gets an error for an unknown delivery, a wrong time and a disabled endpoint', async () => {
    expectError(await admin('post', `/deliveries/${unknownId}/retry`), 40409);
    expectFieldError(await admin('post', '/recover').send({ since: 'yesterday' }), 'since');
    await admin('patch').send({ isEnabled: false }).expect(200);
    for (const action of ['/test', `/deliveries/${unknownId}/retry`]) expectError(await admin('post', action), 40907);
    expectError(await admin('post', '/recover').send({ since: new Date().toISOString() }), 40907);
  });
});
