import { type Db, MongoClient, ObjectId } from 'mongodb';
import { updateOrganization } from '../support/admins.js';
import { expectFieldError } from '../support/expectations.js';
import { FeedMirror } from '../support/feed.js';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { shiftedClock } from '../support/shifted-clock.js';
import { testDatabaseUri } from '../support/test-database.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

const MONGODB_URI = testDatabaseUri('webhook-feed');
const webhooks = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', WEBHOOK_DELIVERIES_PER_HOUR: '8' };
const variables = { MONGODB_URI, ...webhooks };
const path = '/webhook-endpoints';

let client: MongoClient;
let database: Db;
let server: RunningServer;
let organization: TestOrganization;
let receiver: WebhookReceiver;
let endpoint: Stored;

beforeAll(async () => {
  client = await new MongoClient(MONGODB_URI).connect();
  database = client.db();
  server = await RunningServer.start(variables);
});
beforeEach(async () => {
  [organization, receiver] = await Promise.all([createOrganization(server), WebhookReceiver.start()]);
  endpoint = (
    await organization.call('post', path).send({ url: receiver.url, events: eventsWithoutSeasons }).expect(201)
  ).body as Stored;
});
afterEach(() => receiver.stop());
afterAll(async () => {
  await server.stop();
  await client.close();
});

const typesReceived = () => receiver.events.map(({ event }) => event.type);
const rename = (team: Stored, name: string) =>
  organization.call('patch', `/teams/${team._id}`).send({ name }).expect(200);
const read = async () => (await organization.call('get', `${path}/${endpoint._id}`).expect(200)).body as object;
/** Ends the pause of the endpoint, as if its time were over. */
const endPause = async () => {
  const $set = { pausedUntil: new Date(0), dueAt: new Date(1) };
  await database.collection('webhookEndpoints').updateOne({ _id: new ObjectId(endpoint._id) }, { $set });
};

describe('changes of a record', () => {
  it('that follow while the receiver responds become one event with the latest revision', async () => {
    let respond = (): unknown => undefined;
    receiver.respond = (response) => (respond = () => response.writeHead(204).end());
    const team = await organization.team();
    await receiver.waitFor(1);
    for (let each = 1; each <= 4; each++) await rename(team, `Name ${each}`);
    const { updatedAt } = (await rename(team, 'Last')).body as { updatedAt: string };
    const feed = new FeedMirror(organization);
    await feed.followUntil('the last change', () => (feed.get('team', team._id)?.changedAt ?? '') >= updatedAt);
    receiver.respond = (response) => void response.writeHead(204).end();
    respond();
    await receiver.waitFor(2);
    const later = await organization.team();
    await receiver.waitFor(3);
    expect(receiver.events.map(({ event: { type, data } }) => [type, data['id'], data['revision']])).toEqual([
      ['team.created', team._id, 1],
      ['team.updated', team._id, 6],
      ['team.created', later._id, 1],
    ]);
  });

  it('that cannot be delivered wait as one event', async () => {
    const team = await organization.team();
    await receiver.waitFor(1);
    receiver.respond = (response) => void response.writeHead(500).end();
    const logged = async () => {
      const response = await organization.call('get', `${path}/${endpoint._id}/deliveries`).expect(200);
      return (response.body as { data: { event: string; status: string }[] }).data.map(({ event, status }) => [
        event,
        status,
      ]);
    };
    const updated = (status: string) => ['team.updated', status];
    await rename(team, 'Second');
    await eventuallyPasses(async () => expect((await logged())[0]).toEqual(updated('pending')));
    await rename(team, 'Third');
    await eventuallyPasses(async () => {
      await endPause();
      const pending = [updated('pending'), updated('failed'), ['team.created', 'succeeded']];
      expect(await logged()).toEqual(pending);
    });
  });

  it('before a rebuild of the feed are not sent again', async () => {
    const team = await organization.team();
    await receiver.waitFor(1);
    await server.end();
    await database.collection<{ _id: string }>('changes').deleteOne({ _id: 'checkpoint' });
    server = await RunningServer.start(variables);
    organization = organization.over(server);
    await eventually('the feed is built', () => server.log.includes('The change feed is being built'));
    await eventually('it is complete', async () => (await organization.call('get', '/changes')).status === 200);
    await rename(team, 'Second');
    await receiver.waitFor(2);
    expect(typesReceived()).toEqual(['team.created', 'team.updated']);
  });
});

describe('an organization', () => {
  it('that is being erased gets nothing more, and loses what is pending', async () => {
    receiver.respond = (response) => void response.writeHead(500).end();
    await organization.team();
    const records = { organizationId: new ObjectId(organization.id) };
    const count = (name: string) => database.collection(name).countDocuments(records);
    await eventually('a delivery is pending', async () => (await count('webhookDeliveries')) > 0);
    await updateOrganization(server, organization.id, { disabled: true }).expect(200);
    const erase = server.asSuperAdmin('post', `/organizations/${organization.id}/erase`);
    await erase.send({ name: 'Bay Area Flag Football' }).expect(202);
    await database.collection('webhookDeliveries').updateMany(records, { $set: { nextAttemptAt: new Date(0) } });
    await endPause();
    const isLeft = async () => (await count('webhookDeliveries')) + (await count('webhookEndpoints')) > 0;
    await eventually('nothing is left to deliver', async () => !(await isLeft()), 30);
    expect(receiver.received).toHaveLength(1);
  });

  it('that has had its webhooks of an hour gets the others later, and sees why', async () => {
    const other = await createOrganization(server);
    const elsewhere = await WebhookReceiver.start();
    await other.call('post', path).send({ url: elsewhere.url }).expect(201);
    const season = (await organization.season())._id;
    for (let each = 0; each < 10; each++) await organization.team({ season });
    await eventuallyPasses(async () => expect(await read()).toMatchObject({ data: { status: 'limited' } }));
    expect(receiver.received).toHaveLength(8);
    const listed = await server.asSuperAdmin('get', `${path}?status=limited`).expect(200);
    expect(listed.body).toMatchObject({ data: [{ _id: endpoint._id }], total: 1 });
    await other.team();
    await elsewhere.waitFor(1);
    await elsewhere.stop();
    // A server that starts has counted nothing, like one whose hour is over.
    await server.end();
    server = await RunningServer.start(variables);
    organization = organization.over(server);
    await endPause();
    await receiver.waitFor(10);
    await eventuallyPasses(async () => expect(await read()).toMatchObject({ data: { status: 'active' } }));
  });
});

it.each([2, -2])('a server whose clock is %i h ahead delivers nothing twice', async (hours) => {
  const other = await RunningServer.start({ ...variables, ...shiftedClock(hours * 3_600_000) });
  let respond = (): unknown => undefined;
  receiver.respond = (response) => (respond = () => response.writeHead(204).end());
  await organization.team();
  await receiver.waitFor(1);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(receiver.received).toHaveLength(1);
  receiver.respond = (response) => void response.writeHead(204).end();
  respond();
  await organization.team();
  await receiver.waitFor(2);
  expect(receiver.received).toHaveLength(2);
  await other.end();
});

it('a server with WEBHOOK_WORKER=off sends nothing, and stores nothing for the server that sends the events later', async () => {
  await server.end();
  server = await RunningServer.start({ MONGODB_URI, WEBHOOK_WORKER: 'off' });
  organization = organization.over(server);
  // Only a server that allows private addresses accepts this one.
  expectFieldError(await organization.call('post', path).send({ url: receiver.url }), 'url');
  const expectDeliveries = (...data: object[]) =>
    eventuallyPasses(async () => {
      const response = await organization.call('get', `${path}/${endpoint._id}/deliveries`).expect(200);
      expect(response.body).toMatchObject({ data, total: data.length });
    });
  const [first, second] = [await organization.team(), await organization.team()];
  const feed = new FeedMirror(organization);
  await feed.followUntil('both teams', () => Boolean(feed.get('team', first._id) && feed.get('team', second._id)));
  await expectDeliveries();
  expect(receiver.received).toEqual([]);
  await server.end();

  server = await RunningServer.start(variables);
  organization = organization.over(server);
  const sent = { event: 'team.created', status: 'succeeded', attempts: [{ statusCode: 204 }] };
  await expectDeliveries(sent, sent);
  expect(receiver.received).toHaveLength(2);
});
