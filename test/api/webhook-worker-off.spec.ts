import { FeedMirror } from '../support/feed.js';
import { createOrganization, type Stored } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

describe('a server with WEBHOOK_WORKER=off', () => {
  it('sends nothing, and stores nothing for the server that sends the events later', async () => {
    const allowed = { MONGODB_URI: testDatabaseUri(), WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };
    const variables = allowed;
    const [server, receiver] = await Promise.all([
      RunningServer.start({ ...variables, WEBHOOK_WORKER: 'off' }),
      WebhookReceiver.start(),
    ]);
    const organization = await createOrganization(server);
    const created = await organization
      .call('post', '/webhook-endpoints')
      .send({ url: receiver.url, events: eventsWithoutSeasons })
      .expect(201);
    const path = `/webhook-endpoints/${(created.body as Stored)._id}`;
    const expectDeliveries = (...data: object[]) =>
      eventuallyPasses(async () => {
        const response = await organization.call('get', `${path}/deliveries`).expect(200);
        expect(response.body).toMatchObject({ data, total: data.length });
      });
    const [first, second] = [await organization.team(), await organization.team()];
    const feed = new FeedMirror(organization);
    await feed.followUntil('both teams', () => Boolean(feed.get('team', first._id) && feed.get('team', second._id)));
    await expectDeliveries();
    expect(receiver.received).toEqual([]);

    const worker = await RunningServer.start(variables);
    const sent = { event: 'team.created', status: 'succeeded', attempts: [{ statusCode: 204 }] };
    await expectDeliveries(sent, sent);
    expect(receiver.received).toHaveLength(2);
    await worker.end();
    await Promise.all([server.stop(), receiver.stop()]);
  });
});
