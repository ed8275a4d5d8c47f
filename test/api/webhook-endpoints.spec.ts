import { ObjectId } from 'mongodb';
import type request from 'supertest';
import { auditPage } from '../support/audit.js';
import { expectError, expectFieldError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);

const path = '/webhook-endpoints';
const bodyOf = async (sent: request.Test): Promise<unknown> => (await sent).body;
const url = 'https://erp.example.com/webhooks';
const send = (fields: object = {}, of = organization) => of.call('post', path).send({ url, ...fields });
const create = async (fields: object = {}, of = organization) =>
  (await send(fields, of).expect(201)).body as Stored & { secret: string };
const read = async ({ _id }: Stored) =>
  ((await bodyOf(organization.call('get', `${path}/${_id}`).expect(200))) as { data: Stored }).data;
const withoutSecret = ({ secret: _secret, ...endpoint }: Stored & { secret: string }) => endpoint;

describe('POST /webhook-endpoints', () => {
  it('returns the endpoint with its secret, and no other response contains it', async () => {
    const created = await create({ events: ['team.created'], description: 'ERP' });
    expect(created).toMatchObject({ url, events: ['team.created'], description: 'ERP', isEnabled: true });
    expect(created).toMatchObject({ status: 'active', createdByKey: organization.key.keyPrefix });
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await organization.call('get', path).expect(200);
    expect(listed.body).toEqual({ data: [withoutSecret(created)], total: 1 });
    expect(await read(created)).toEqual(withoutSecret(created));
    const updated = await organization.call('patch', `${path}/${created._id}`).send({ events: null }).expect(200);
    expect(updated.text).not.toContain(created.secret);
  });

  it('rejects the eleventh endpoint, also of requests at once, and accepts another after a deletion', async () => {
    const responses = await Promise.all(Array.from({ length: 14 }, () => send()));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(10).fill(201), ...Array<number>(4).fill(409)]);
    expectError(await send(), 40906);
    const [first] = ((await bodyOf(organization.call('get', path).expect(200))) as { data: [Stored] }).data;
    await organization.call('delete', `${path}/${first._id}`).expect(200);
    await create();
  });

  it.each([[[]], [['ping']]])('rejects events %j', async (events) => {
    const { body } = (await send({ events }).expect(400)) as { body: { error: number } };
    expect(body.error).toBe(40001);
  });
});

describe('PATCH and DELETE /webhook-endpoints/{id}', () => {
  it('changes the sent fields, and clears events and description', async () => {
    const created = await create({ events: ['team.created'], description: 'ERP' });
    const change = (body: object) => organization.call('patch', `${path}/${created._id}`).send(body).expect(200);
    expect((await change({ url: 'https://new.example.com/' })).body).toMatchObject({
      url: 'https://new.example.com/',
      description: 'ERP',
    });
    const body = await bodyOf(change({ events: null, description: null }));
    expect((body as { events: unknown[] }).events).toHaveLength(12);
    expect(body).not.toHaveProperty('description');
  });

  it('disables and enables an endpoint', async () => {
    const { _id } = await create();
    const change = (isEnabled: boolean) => organization.call('patch', `${path}/${_id}`).send({ isEnabled }).expect(200);
    expect((await change(false)).body).toMatchObject({ status: 'disabled', disabledReason: 'organization' });
    expectError(await organization.call('post', `${path}/${_id}/test`), 40907);
    const body = await bodyOf(change(true));
    expect(body).toMatchObject({ status: 'active' });
    expect(body).not.toHaveProperty('disabledReason');
  });
});

describe('the admin routes', () => {
  it('list the endpoints of an organization, and disable one that its organization cannot enable', async () => {
    const created = await create();
    const listed = await server.asSuperAdmin('get', `/organizations/${organization.id}/webhook-endpoints`).expect(200);
    expect(listed.body).toEqual({ data: [withoutSecret(created)], total: 1 });
    const toggle = (isEnabled: boolean) =>
      server.asSuperAdmin('patch', `/webhook-endpoints/${created._id}`).send({ isEnabled }).expect(200);
    expect((await toggle(false)).body).toMatchObject({ status: 'disabled', disabledReason: 'admin' });
    const enable = () => organization.call('patch', `${path}/${created._id}`).send({ isEnabled: true });
    expectError(await enable(), 40907);
    const query = `organizationId=${organization.id}&action=updateWebhookEndpoint`;
    const audit = await server.asSuperAdmin('get', `/audit-events?${query}`).expect(200);
    expect((audit.body as { data: unknown[] }).data).toMatchObject([
      {
        actor: { kind: 'user' },
        target: { name: 'https://erp.example.com' },
        changes: { isEnabled: false, disabledReason: 'admin' },
        previous: { isEnabled: true, disabledReason: null },
      },
    ]);
    await toggle(true);
    await enable().expect(200);
  });

  it('disable an endpoint for good, although its organization enables it at the same time', async () => {
    const { _id } = await create();
    for (let round = 0; round < 5; round += 1) {
      await server.asSuperAdmin('patch', `/webhook-endpoints/${_id}`).send({ isEnabled: true }).expect(200);
      await organization.call('patch', `${path}/${_id}`).send({ isEnabled: false }).expect(200);
      await Promise.all([
        server.asSuperAdmin('patch', `/webhook-endpoints/${_id}`).send({ isEnabled: false }).expect(200),
        organization.call('patch', `${path}/${_id}`).send({ isEnabled: true }),
      ]);
      expect(await read({ _id })).toMatchObject({ isEnabled: false, disabledReason: 'admin' });
    }
  });
});

/** The audit and super admins see only the host of this URL. */
const secretUrl = 'https://erp.example.com/hooks/a-secret-path?token=a-secret-token';
const createSecretly = (to = secretUrl) => create({ url: to });
const events = async () => (await auditPage(server, `organizationId=${organization.id}&limit=100`)).data;

it('audits every change of an endpoint by a key, without secrets', async () => {
  const { _id, secret } = await createSecretly();
  const endpoint = `${path}/${_id}`;
  await organization.call('patch', endpoint).send({ url: 'https://other.example.com/x', events: null }).expect(200);
  await organization.call('patch', endpoint).send({ isEnabled: false }).expect(200);
  const rotated = await organization.call('post', `${endpoint}/rotate-secret`).expect(200);
  await organization.call('delete', endpoint).set('X-Request-Id', 'the-deletion').expect(200);
  // Rejected ones are not changes.
  expectError(await organization.call('delete', endpoint), 40408);
  expectError(await organization.call('patch', endpoint).send({ isEnabled: true }), 40408);
  expectError(await organization.call('post', `${endpoint}/rotate-secret`), 40408);

  const { id: keyId, keyPrefix } = organization.key;
  const audited = (await events()).filter(({ target }) => target?.kind === 'webhookEndpoint').reverse();
  const origin = { outcome: 'success', actor: { kind: 'apiKey', _id: keyId, keyPrefix }, target: { _id } };
  const address = expect.stringMatching(/127\.0\.0\.1$/) as unknown;
  expect(audited).toMatchObject([
    { ...origin, action: 'createWebhookEndpoint', changes: { url: 'https://erp.example.com' }, address },
    { ...origin, action: 'updateWebhookEndpoint', changes: { url: 'https://other.example.com', events: null } },
    { ...origin, action: 'updateWebhookEndpoint', changes: { isEnabled: false } },
    { ...origin, action: 'rotateWebhookSecret' },
    { ...origin, action: 'deleteWebhookEndpoint', requestId: 'the-deletion' },
  ]);
  expect(JSON.stringify(audited)).not.toMatch(/a-secret|whsec_/);
  for (const each of [secret, (rotated.body as { secret: string }).secret])
    expect(JSON.stringify(audited)).not.toContain(each);
  expect((await auditPage(server, `actorId=${keyId}`)).data).toHaveLength(5);
});

it('keeps an endpoint that a super admin has disabled, and its host, until a super admin enables it', async () => {
  const [blocked, other] = [await createSecretly(), await createSecretly('https://other.example.com/')];
  const toggle = (isEnabled: boolean) =>
    server.asSuperAdmin('patch', `${path}/${blocked._id}`).send({ isEnabled }).expect(200);
  const attempts = () => [
    organization.call('post', path).send({ url: 'https://erp.example.com:8443/other' }),
    organization.call('patch', `${path}/${other._id}`).send({ url: secretUrl }),
    organization.call('patch', `${path}/${blocked._id}`).send({ url: 'https://third.example.com/' }),
    organization.call('delete', `${path}/${blocked._id}`),
  ];
  await toggle(false);
  for (const attempt of attempts()) expectError(await attempt, 40907);
  await organization.call('patch', `${path}/${other._id}`).send({ url: 'https://fourth.example.com/' }).expect(200);
  await toggle(true);
  for (const attempt of attempts()) expect((await attempt).status).toBeLessThan(300);
});

describe('an endpoint with a receiver', () => {
  let receiver: WebhookReceiver;
  let endpoint: Stored;

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    const created = organization.call('post', path).send({ url: receiver.url, events: ['team.deleted'] });
    endpoint = (await created.expect(201)).body as Stored;
  });
  afterEach(() => receiver.stop());

  const minute = 60_000;
  const ago = (minutes: number) => new Date(Date.now() - minutes * minute);
  const pathOf = ({ _id }: Stored) => `${path}/${_id}`;
  const recover = (id: Stored, since: Date) => organization.call('post', `${pathOf(id)}/recover`).send({ since });

  /** A delivery whose next attempt is due much later. */
  const betweenAttempts = () => ({ status: 'pending', nextAttemptAt: ago(-60) });

  async function deliveries(status: string) {
    const response = await organization.call('get', `${pathOf(endpoint)}/deliveries?limit=100&status=${status}`);
    return response.body as { data: Stored[]; total: number };
  }

  /** Stores failed deliveries of events from 200 minutes ago on, one a minute, each last attempted two hours later. */
  async function storeFailed(count: number, state: object = { status: 'failed' }): Promise<string[]> {
    const failed = Array.from({ length: count }, (_none, index) => ({
      _id: new ObjectId(),
      organizationId: new ObjectId(organization.id),
      endpointId: new ObjectId(endpoint._id),
      event: 'ping',
      ...state,
      attempts: [{ at: ago(80 - index), statusCode: 500, durationMs: 1 }],
      record: 'ping',
      createdAt: ago(200 - index),
      updatedAt: ago(200 - index),
    }));
    // Not in the order of the events.
    await (await server.database()).collection('webhookDeliveries').insertMany(failed.toReversed());
    return failed.map(({ _id }) => _id.toHexString());
  }

  describe('POST /webhook-endpoints/{id}/recover', () => {
    it('sends what failed since a time again, in the order of the events, with the same IDs', async () => {
      const ids = await storeFailed(75);
      const since = ago(75.5);
      expect((await recover(endpoint, since).expect(202)).body).toEqual({ data: { queued: 70 } });
      await eventuallyPasses(async () => expect(await deliveries('succeeded')).toMatchObject({ total: 70 }), 20);
      expect(receiver.received.map(({ id }) => id)).toEqual(ids.slice(5));
      const { data, total } = await deliveries('failed');
      expect([total, data.map(({ _id }) => _id)]).toEqual([5, ids.slice(0, 5).toReversed()]);
      expect((await recover(endpoint, since).expect(202)).body).toEqual({ data: { queued: 0 } });
    });

    it('sends what waits for its next attempt at once, too, after what has failed', async () => {
      const failed = await storeFailed(2);
      const waiting = await storeFailed(3, betweenAttempts());
      expect((await recover(endpoint, ago(90)).expect(202)).body).toEqual({ data: { queued: 5 } });
      await receiver.waitFor(5);
      expect(receiver.received.map(({ id }) => id).toSorted()).toEqual([...failed, ...waiting].toSorted());
    });

    it('is not needed after a success, which releases what waits', async () => {
      const waiting = await storeFailed(3, betweenAttempts());
      const endpoints = (await server.database()).collection('webhookEndpoints');
      await endpoints.updateOne({ _id: new ObjectId(endpoint._id) }, { $set: { failingSince: ago(60) } });
      await organization.call('post', `${pathOf(endpoint)}/test`).expect(202);
      await receiver.waitFor(4);
      expect(receiver.received.slice(1).map(({ id }) => id)).toEqual(waiting);
    });

    it('lets an endpoint that fails again keep what could not be sent', async () => {
      const ids = await storeFailed(2);
      receiver.respond = (response) => void response.writeHead(500).end();
      await recover(endpoint, ago(90)).expect(202);
      await receiver.waitFor(1);
      await eventuallyPasses(async () => expect(await deliveries('pending')).toMatchObject({ total: 2 }));
      expect((await deliveries('pending')).data.map(({ _id }) => _id)).toEqual(ids.toReversed());
    });

    it('rejects a time of more than 30 days ago, an unknown endpoint and a disabled one', async () => {
      expectFieldError(await recover(endpoint, ago(30 * 24 * 60 + 1)), 'since');
      expectError(await recover({ _id: unknownId }, ago(1)), 40408);
      await organization.call('patch', pathOf(endpoint)).send({ isEnabled: false }).expect(200);
      expectError(await recover(endpoint, ago(1)), 40907);
    });
  });

  describe('a super admin', () => {
    const admin = (method: 'get' | 'post' | 'patch', of = '') => server.asSuperAdmin(method, pathOf(endpoint) + of);

    it('reads an endpoint, pings it, retries and recovers what failed; each change is audited', async () => {
      receiver.respond = (response) => void response.writeHead(500).end();
      const named = { data: { ...(await read(endpoint)), organizationName: 'Bay Area Flag Football' } };
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
      const stored = (await server.database()).collection('webhookDeliveries');
      const failed = { $set: { status: 'failed' }, $unset: { nextAttemptAt: 1 } };
      await stored.updateOne({ _id: new ObjectId(ping._id) }, failed);
      receiver.respond = (response) => void response.writeHead(204).end();
      const since = new Date(Date.now() - 60_000).toISOString();
      expect((await admin('post', '/recover').send({ since }).expect(202)).body).toEqual({ data: { queued: 1 } });
      await receiver.waitFor(1);
      await eventuallyPasses(async () =>
        expect((await listed()).body).toMatchObject({ data: [{ status: 'succeeded' }] }),
      );
      const ofPartner = (await organization.call('get', `${pathOf(endpoint)}/deliveries`).expect(200)).body as {
        data: object[];
      };
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
});
