import { ObjectId } from 'mongodb';
import { expectError, expectFieldError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let receiver: WebhookReceiver;
let endpoint: Stored;

const minute = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * minute);
const pathOf = ({ _id }: Stored) => `/webhook-endpoints/${_id}`;
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

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  const created = organization.call('post', '/webhook-endpoints').send({ url: receiver.url, events: ['team.deleted'] });
  endpoint = (await created.expect(201)).body as Stored;
});
afterEach(() => receiver.stop());

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
