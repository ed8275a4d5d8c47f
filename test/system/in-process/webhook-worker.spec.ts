import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { mongo } from 'mongoose';
import type { RequestContext } from '../../../src/access/request-context.js';
import { Configuration } from '../../../src/config/configuration.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import { newRecordId, toRecordId } from '../../../src/database/record.js';
import { ChangesRepository } from '../../../src/modules/changes/changes.repository.js';
import { OrganizationsService } from '../../../src/modules/organizations/organizations.service.js';
import { WebhookDeliveriesService } from '../../../src/modules/webhooks/webhook-deliveries.service.js';
import { WebhookFeed } from '../../../src/modules/webhooks/webhook-feed.js';
import type { WebhookDeliveryRecord } from '../../../src/modules/webhooks/webhook-delivery.schema.js';
import { type LeasedEndpoint, WebhookQueueRepository } from '../../../src/modules/webhooks/webhook-queue.repository.js';
import { WebhookSender } from '../../../src/modules/webhooks/webhook-sender.js';
import { WebhookWorker } from '../../../src/modules/webhooks/webhook-worker.js';
import { WebhooksService } from '../../../src/modules/webhooks/webhooks.service.js';
import { Metrics } from '../../../src/observability/metrics.js';
import { HitCounter } from '../../../src/rate-limit/hit-counter.js';
import { FixedClock, newRequestContext, TestApplication } from '../../support/application.js';
import { eventually, eventuallyPasses } from '../../support/processes.js';

/** Leases and pauses are in the time of the database, whatever this clock says. */
const clock = new FixedClock(new Date());
const day = 24 * 60 * 60 * 1_000;
const respondsWith = (statusCode: number) => ({ attempt: { at: clock.now(), statusCode, durationMs: 1 } });
const succeeded = respondsWith(204);
const ago = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
const unreachable = () => new mongo.MongoNetworkError('connection closed');

const application = TestApplication.forTests(clock);

describe('the webhook worker', () => {
  const collections = ['organizations', 'users', 'webhookEndpoints', 'webhookDeliveries'];
  let queue: WebhookQueueRepository;
  let worker: WebhookWorker;
  let service: WebhooksService;
  let send: jest.SpiedFunction<WebhookSender['send']>;
  let warn: jest.SpyInstance;

  beforeEach(async () => {
    await Promise.all(collections.map((name) => application.connection.collection(name).deleteMany({})));
    queue = application.get(WebhookQueueRepository);
    service = application.get(WebhooksService);
    // One that has been stopped does not start again.
    worker = new WebhookWorker(
      queue,
      application.get(WebhookSender),
      application.get(WebhookFeed),
      service,
      application.get(OrganizationsService),
      application.get(HitCounter),
      application.get(DatabaseService),
      application.get(Configuration),
      new Metrics(),
    );
    warn = jest.spyOn(Logger.prototype, 'warn');
    send = jest.spyOn(application.get(WebhookSender), 'send').mockResolvedValue(succeeded);
  });
  afterEach(async () => {
    await worker.onApplicationShutdown();
    jest.restoreAllMocks();
  });

  /** Creates an endpoint with deliveries. */
  async function addDelivery(count = 1): Promise<{ context: RequestContext; id: string }> {
    const context = newRequestContext();
    const [_id, creatorId] = [toRecordId(context.organization.id), toRecordId(context.actingUser.id)];
    await application.connection.collection('organizations').insertOne({ _id, creatorId });
    await application.connection.collection('users').insertOne({ _id: creatorId, email: String(creatorId) });
    const { _id: id } = await service.create(context, { url: 'https://erp.example.com/' });
    for (let each = 0; each < count; each++) await application.get(WebhookDeliveriesService).sendTest(context, id);
    return { context, id };
  }

  const setFailingSince = (failingSince: Date) =>
    application.connection.collection('webhookEndpoints').updateOne({}, { $set: { failingSince } });
  /** Runs the worker until it has sent this many requests and released its endpoints. */
  async function sendAll(count: number): Promise<void> {
    worker.start();
    await eventually('the requests are sent', () => send.mock.calls.length === count);
    await eventually('the lease ends', async () => {
      const endpoint = await stored('webhookEndpoints');
      return Number(endpoint?.['leasedUntil']) <= Date.now();
    });
    await worker.onApplicationShutdown();
  }
  const stored = (collection: string) => application.connection.collection(collection).findOne({});
  const untilSucceeded = () =>
    eventuallyPasses(async () => expect(await stored('webhookDeliveries')).toMatchObject({ status: 'succeeded' }));

  it('does not repeat a request whose outcome could not be stored at first', async () => {
    jest.spyOn(queue, 'store').mockRejectedValueOnce(unreachable()).mockRejectedValueOnce(unreachable());
    await addDelivery();
    worker.start();
    await untilSucceeded();
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('keeps a success that another server has stored', async () => {
    send.mockImplementationOnce(async () => {
      const success = { $set: { status: 'succeeded' }, $unset: { nextAttemptAt: 1 } };
      await application.connection.collection('webhookDeliveries').updateOne({}, success);
      return respondsWith(500);
    });
    await addDelivery();
    worker.start();
    const isReleased = async () => (await stored('webhookEndpoints'))?.['failingSince'] !== undefined;
    await eventually('the outcome is stored', isReleased);
    expect(await stored('webhookDeliveries')).toMatchObject({ status: 'succeeded', attempts: [] });
  });

  it('gives up the older events of a record when a later one fails, and no later one for an older one', async () => {
    await addDelivery();
    const deliveries = application.connection.collection<WebhookDeliveryRecord>('webhookDeliveries');
    const [ping] = await deliveries.find().toArray();
    const ofTeam = { ...ping, record: 'team.1', event: 'team.updated' } as WebhookDeliveryRecord;
    const events = [ago(2_000), ago(1_000), ago(0)].map((createdAt) => ({ ...ofTeam, _id: newRecordId(), createdAt }));
    await deliveries.insertMany(events);
    await queue.store({ ...ofTeam, ...events[1], body: '' }, { status: 'pending' });
    const stored = await deliveries.find({ record: 'team.1' }, { sort: { createdAt: 1 } }).toArray();
    expect(stored.map(({ status }) => status)).toEqual(['failed', 'pending', 'pending']);
  });

  it('pauses an endpoint briefly that fails after a success, however long it had failed before', async () => {
    send.mockResolvedValueOnce(succeeded).mockResolvedValueOnce(respondsWith(429));
    await addDelivery(2);
    await setFailingSince(ago(6 * day));
    await sendAll(2);
    const endpoint = await stored('webhookEndpoints');
    expect(endpoint).toMatchObject({ isEnabled: true, failingSince: clock.now() });
    expect(Math.abs(Number(endpoint?.['pausedUntil']) - Date.now() - 5_000)).toBeLessThan(3_000);
  });

  it('does not restore the failures of an endpoint that is enabled during an attempt', async () => {
    const { context, id } = await addDelivery();
    await setFailingSince(ago(6 * day));
    send.mockImplementationOnce(async () => {
      await service.update(context, id, { isEnabled: true });
      return respondsWith(500);
    });
    await sendAll(1);
    expect(await stored('webhookDeliveries')).toMatchObject({ attempts: [{ statusCode: 500 }] });
    const endpoint = await stored('webhookEndpoints');
    expect(endpoint).toMatchObject({ isEnabled: true });
    expect(Number(endpoint?.['pausedUntil'])).toBeLessThanOrEqual(Date.now());
    expect(endpoint).not.toHaveProperty('failingSince');
  });

  it('takes turns: an endpoint with old deliveries waits for those that became due meanwhile', async () => {
    await addDelivery(2);
    let id = '';
    send.mockImplementationOnce(async () => {
      void worker.onApplicationShutdown();
      // A claim that was sent before could lease the second endpoint.
      await sleep(200);
      ({ id } = await addDelivery());
      // The first endpoint becomes due again in another millisecond of the database's clock.
      await sleep(10);
      return succeeded;
    });
    worker.start();
    await eventually('the first endpoint is released', async () =>
      Boolean((await stored('webhookEndpoints'))?.['lastDelivery']),
    );
    expect(String((await queue.claim(1_000, []))?._id)).toBe(id);
    expect(await queue.claim(1_000, [])).toMatchObject({ lastDelivery: {} });
  });

  it('sends nothing more to an endpoint that is disabled, and ends its lease', async () => {
    const { context, id } = await addDelivery(2);
    send.mockImplementationOnce(async () => {
      await service.update(context, id, { isEnabled: false });
      return succeeded;
    });
    await sendAll(1);
    expect(send).toHaveBeenCalledTimes(1);
    expect(await stored('webhookEndpoints')).toMatchObject({ disabledReason: 'organization', lastDelivery: {} });
  });

  it('sends nothing more to an endpoint that is deleted, and warns of nothing if it responds 410', async () => {
    const { context, id } = await addDelivery(2);
    send.mockImplementationOnce(async () => {
      await service.remove(context, id);
      return respondsWith(410);
    });
    worker.start();
    await eventually('the request is sent', () => send.mock.calls.length === 1);
    await worker.onApplicationShutdown();
    const attempted = { 'attempts.statusCode': 410 };
    expect(await application.connection.collection('webhookDeliveries').countDocuments(attempted)).toBe(1);
    expect(send).toHaveBeenCalledTimes(1);
    expect(warn).not.toHaveBeenCalled();
  });

  it('sends the next delivery to a new URL', async () => {
    const { context, id } = await addDelivery(2);
    const url = 'https://new.example.com/';
    send.mockImplementationOnce(async () => {
      await service.update(context, id, { url });
      return succeeded;
    });
    await sendAll(2);
    expect(send.mock.calls[1]?.[0]).toMatchObject({ url });
  });
});

it('reads records only from a database that has reached the position of their changes', async () => {
  const positionAt = (seconds: number) =>
    `${Math.floor(seconds).toString(16).padStart(8, '0')}00000001.team.6650f1f77bcf86cd79943911`;
  const changes = application.get(ChangesRepository);
  const readAt = (seconds: number) => changes.readCausally((session) => changes.findEnd(session), positionAt(seconds));
  await expect(readAt(Date.now() / 1_000 - 60)).resolves.toBeNull();
  await expect(readAt(Date.now() / 1_000 + 3_600)).rejects.toThrow(/afterClusterTime/);
  // Also the changes that have made an endpoint due.
  const dispatched = positionAt(Date.now() / 1_000 + 3_600);
  const read = application
    .get(WebhookFeed)
    .read({ dispatched } as LeasedEndpoint, (session) => changes.findEnd(session));
  await expect(read).rejects.toThrow(/afterClusterTime/);
});

it('a long stretch of changes that an endpoint does not subscribe to moves its position page by page', async () => {
  const organizationId = toRecordId(newRequestContext().organization.id);
  const positionOf = (row: number) => `${String(row).padStart(16, '0')}.player.${row}`;
  const rows = Array.from({ length: 120 }, (_, row) => ({ position: positionOf(row), organizationId, kind: 'player' }));
  await application.connection
    .collection('changes')
    .insertMany([
      ...rows.map((row) => ({ ...row, _id: `player.${row.position}` as never, changedAt: clock.now() })),
      { _id: 'checkpoint' as never, position: positionOf(119) },
    ]);
  const endpoint = { _id: organizationId, organizationId, events: ['schedule.updated'], position: '' };
  const feed = application.get(WebhookFeed);
  const reached = await feed.read({} as LeasedEndpoint, async (session) => {
    const yielded: unknown[] = [];
    const deliveries = feed.deliveriesTo(endpoint as unknown as LeasedEndpoint, clock.now(), session);
    for await (const each of deliveries) yielded.push(each);
    return yielded;
  });
  expect(reached).toEqual([49, 99, 119].map((row) => ({ position: positionOf(row) })));
});
