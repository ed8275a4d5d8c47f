import { EventEmitter, once } from 'node:events';
import { mongo } from 'mongoose';
import { ChangesRepository } from '../../../src/modules/changes/changes.repository.js';
import { WebhookQueueRepository } from '../../../src/modules/webhooks/webhook-queue.repository.js';
import { WebhookSender } from '../../../src/modules/webhooks/webhook-sender.js';
import { WebhookWorker } from '../../../src/modules/webhooks/webhook-worker.js';
import { WebhooksService } from '../../../src/modules/webhooks/webhooks.service.js';
import { FixedClock, newRequestContext, TestApplication } from '../../support/application.js';
import { eventually, eventuallyPasses } from '../../support/processes.js';

/** With a clock that stands still, no lease ends by itself. */
const clock = new FixedClock();
const succeeded = { attempt: { at: clock.now(), statusCode: 204, durationMs: 1 } };
const unreachable = () => new mongo.MongoNetworkError('connection closed');

describe('the webhook worker', () => {
  let application: TestApplication;
  let queue: WebhookQueueRepository;
  let worker: WebhookWorker;
  let send: jest.SpiedFunction<WebhookSender['send']>;

  beforeEach(async () => {
    application = await TestApplication.start(clock);
    queue = application.get(WebhookQueueRepository);
    worker = application.get(WebhookWorker);
    send = jest.spyOn(application.get(WebhookSender), 'send').mockResolvedValue(succeeded);
  });
  afterEach(() => application.stop());

  /** Creates an endpoint with a delivery. */
  async function addDelivery(): Promise<void> {
    const context = newRequestContext();
    const service = application.get(WebhooksService);
    const { _id } = await service.create(context, { url: 'https://erp.example.com/' });
    await service.sendTest(context, _id);
  }

  const stored = (collection: string) => application.connection.collection(collection).findOne({});
  const untilSucceeded = () =>
    eventuallyPasses(async () => expect(await stored('webhookDeliveries')).toMatchObject({ status: 'succeeded' }));

  it('continues before its lease ends after the database was unreachable', async () => {
    jest.spyOn(queue, 'findNext').mockRejectedValueOnce(unreachable());
    jest.spyOn(queue, 'release').mockRejectedValueOnce(unreachable());
    await addDelivery();
    worker.start();
    await untilSucceeded();
  });

  it('does not repeat a request whose outcome could not be stored at first', async () => {
    jest.spyOn(queue, 'update').mockRejectedValueOnce(unreachable()).mockRejectedValueOnce(unreachable());
    await addDelivery();
    worker.start();
    await untilSucceeded();
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('keeps a success that another server has stored', async () => {
    const fail = { attempt: { ...succeeded.attempt, statusCode: 500 } };
    send.mockImplementationOnce(async () => {
      const success = { $set: { status: 'succeeded' }, $unset: { nextAttemptAt: 1 } };
      await application.connection.collection('webhookDeliveries').updateOne({}, success);
      return fail;
    });
    await addDelivery();
    worker.start();
    const isReleased = async () => (await stored('webhookEndpoints'))?.['failingSince'] !== undefined;
    await eventually('the outcome is stored', isReleased);
    expect(await stored('webhookDeliveries')).toMatchObject({ status: 'succeeded', attempts: [] });
  });

  it('leaves an endpoint that hangs to other servers when it stops', async () => {
    const ended = new EventEmitter();
    send.mockImplementationOnce(() => once(ended, 'end').then(() => succeeded));
    await addDelivery();
    worker.start();
    await eventually('the request is sent', () => send.mock.calls.length === 1);
    await worker.onApplicationShutdown();
    const soon = new Date(clock.now().getTime() + 2_000);
    expect(await queue.claim(clock.now(), soon)).toBeNull();
    expect(await queue.claim(soon, soon)).not.toBeNull();
    ended.emit('end');
  });
});

it('reads records only from a database that has reached the position of their changes', async () => {
  const application = await TestApplication.start();
  const changes = application.get(ChangesRepository);
  const readAt = (seconds: number) =>
    changes.readCausally(
      (session) => changes.findEnd(session),
      `${Math.floor(seconds).toString(16).padStart(8, '0')}00000001.team.6650f1f77bcf86cd79943911`,
    );
  await expect(readAt(Date.now() / 1_000 - 60)).resolves.toBeNull();
  await expect(readAt(Date.now() / 1_000 + 3_600)).rejects.toThrow(/afterClusterTime/);
  await application.stop();
});
