import { FeedMirror } from '../support/feed.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

jest.setTimeout(120_000);

let server: RunningServer;
const receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  server = await RunningServer.start({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', RATE_LIMIT_PER_MINUTE: '1000000' });
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  await server.stop();
});

/** Creates an organization with endpoints at a new receiver. */
async function createPartner(endpoints: number, respond?: WebhookReceiver['respond']) {
  const [organization, receiver] = await Promise.all([createOrganization(server), WebhookReceiver.start(respond)]);
  receivers.push(receiver);
  const subscribe = () =>
    organization
      .call('post', '/webhook-endpoints')
      .send({ url: receiver.url, events: eventsWithoutSeasons })
      .expect(201);
  for (let each = 0; each < endpoints; each++) await subscribe();
  return { organization, receiver };
}

/** Returns how long a new team needs until it is in the feed, and until its webhook has arrived, in milliseconds. */
async function probe(organization: TestOrganization, receiver: WebhookReceiver, season: string) {
  const { _id } = await organization.team({ season });
  const at = performance.now();
  const since = () => performance.now() - at;
  const feed = new FeedMirror(organization);
  const isSent = () => receiver.events.some(({ event }) => event.data['id'] === _id);
  const [inFeed, sent] = await Promise.all([
    feed.followUntil('the feed', () => feed.get('team', _id) !== undefined, 60).then(since),
    feed.followUntil('the webhook', isSent, 60).then(since),
  ]);
  return { inFeed, sent };
}

it('bulk writes with ten endpoints delay neither the feed nor the webhooks of others, and store few deliveries', async () => {
  const [flooding, { organization, receiver }] = await Promise.all([createPartner(10), createPartner(1)]);
  const team = await flooding.organization.team();
  const season = (await organization.season())._id;
  const flood = async (key: number) => {
    for (let turn = 0; turn < 4; turn++) {
      const name = `Player ${turn}`;
      const rows = Array.from({ length: 100 }, (_, index) => ({ externalId: `${key}-${turn}-${index}`, name }));
      await flooding.organization.call('post', `/teams/${team._id}/players/bulk`).send({ rows });
    }
  };
  await Promise.all([flood(1), flood(2), flood(3)]);
  const { inFeed, sent } = await probe(organization, receiver, season);
  const database = await server.database();
  const [changes, deliveries] = await Promise.all(
    ['changes', 'webhookDeliveries'].map((each) => database.collection(each).countDocuments()),
  );
  expect(inFeed).toBeLessThan(4_000);
  expect(sent).toBeLessThan(6_000);
  // Only what was sent until now, not ten for each change.
  expect(deliveries).toBeLessThan(changes ?? 0);
});

it('slow receivers of ten organizations do not delay a fast one', async () => {
  const slowness = 8_000;
  const slow: WebhookReceiver['respond'] = (response) => void setTimeout(() => response.writeHead(204).end(), slowness);
  const partners = await Promise.all(Array.from({ length: 10 }, () => createPartner(10, slow)));
  const { organization, receiver } = await createPartner(1);
  const season = (await organization.season())._id;
  const teams: Stored[] = [];
  for (const { organization: busy } of partners) teams.push(await busy.team());
  await Promise.all(partners.map((partner) => partner.receiver.waitFor(9, 60)));
  const rename = (at: number) =>
    partners[at]?.organization.call('patch', `/teams/${teams[at]?._id}`).send({ name: `${Date.now()}` });
  // What the first one waits for can end soon after it.
  let sent = Infinity;
  for (let turn = 0; turn < 2; turn++) {
    for (const at of partners.keys()) await rename(at);
    ({ sent } = await probe(organization, receiver, season));
  }
  expect(sent).toBeLessThan(slowness);
});
