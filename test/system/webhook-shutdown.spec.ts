import { createOrganization } from '../support/organization.js';
import { RawConnection } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

it('a server that stops while a request hangs sends no webhooks meanwhile, and stops gracefully', async () => {
  const receiver = await WebhookReceiver.start((response) => {
    if (receiver.received.length === 1) response.writeHead(500).end();
  });
  const server = await RunningServer.start({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
  const organization = await createOrganization(server);
  const hanging = await RawConnection.open(server.url);
  const { apiKey } = organization.key;
  const head = ['Host: localhost', `Authorization: Bearer ${apiKey}`, 'Content-Length: 9', 'Expect: 100-continue'];
  hanging.send(['POST /v1/public-api/teams HTTP/1.1', ...head, 'Content-Type: application/json\r\n\r\n'].join('\r\n'));
  await hanging.receives('100 Continue');
  await organization
    .call('post', '/webhook-endpoints')
    .send({ url: receiver.url, events: eventsWithoutSeasons })
    .expect(201);
  await organization.team();
  await receiver.waitFor(1);
  // The delivery is due again in 5 s, while the server waits up to 10 s for the request.
  expect(await server.end()).toBe(0);
  expect(receiver.received).toHaveLength(1);
  hanging.close();
  await Promise.all([server.stop(), receiver.stop()]);
});
