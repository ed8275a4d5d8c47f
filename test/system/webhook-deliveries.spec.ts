import { Webhook } from 'standardwebhooks';
import { expectError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import type request from 'supertest';
import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { eventsWithoutSeasons, WebhookReceiver } from '../support/webhook-receiver.js';

const server = RunningServer.forTests();
let organization: TestOrganization;
let receiver: WebhookReceiver;

beforeEach(async () => {
  [organization, receiver] = await Promise.all([createOrganization(server), WebhookReceiver.start()]);
});
afterEach(() => receiver.stop());

const path = '/webhook-endpoints';
const bodyOf = async (sent: request.Test): Promise<unknown> => (await sent).body;
type Endpoint = Stored & { secret: string };
interface Delivery {
  readonly _id: string;
  readonly event: string;
  readonly status: string;
  readonly attempts: readonly { readonly at: string; readonly statusCode?: number; readonly error?: string }[];
  readonly nextAttemptAt?: string;
}

async function subscribe(fields: object = {}): Promise<Endpoint> {
  const body = await bodyOf(
    organization
      .call('post', path)
      .send({ url: receiver.url, events: eventsWithoutSeasons, ...fields })
      .expect(201),
  );
  return body as Endpoint;
}

const read = async ({ _id }: Stored) =>
  ((await bodyOf(organization.call('get', `${path}/${_id}`).expect(200))) as { data: Stored }).data;

async function deliveriesTo({ _id }: Stored): Promise<Delivery[]> {
  const body = await bodyOf(organization.call('get', `${path}/${_id}/deliveries`).expect(200));
  return (body as { data: Delivery[] }).data;
}

describe('an event', () => {
  it('arrives signed, thin, and with the ID of its delivery', async () => {
    const endpoint = await subscribe({ events: ['team.created'] });
    const team = await organization.team({ name: 'Hawks', externalId: 'erp-1' });
    await receiver.waitFor(1);
    const [received] = receiver.received;
    if (received === undefined) throw new Error('Nothing was received');
    WebhookReceiver.verify(endpoint.secret, received);
    expect(received.event).toEqual({
      type: 'team.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      data: {
        ...{ kind: 'team', id: team._id, externalId: 'erp-1', revision: 1, deleted: false },
        changedBy: organization.asChangedBy(),
      },
    });
    expect(received.body).not.toContain('Hawks');
    expect(received.headers['content-type']).toBe('application/json');
    await eventuallyPasses(async () => expect((await deliveriesTo(endpoint))[0]?.status).toBe('succeeded'));
    expect(await deliveriesTo(endpoint)).toMatchObject([
      { _id: received.id, event: 'team.created', attempts: [{ statusCode: 204 }] },
    ]);
  });

  it('is sent for every change of teams, players, schedules and statistics', async () => {
    await subscribe();
    /** Later changes of a record that come before its event is read replace it. */
    const sorted = async (count: number) => {
      await receiver.waitFor(count);
      return receiver.events.map(({ event }) => event.type).sort();
    };
    const team = await organization.team();
    const player = await organization.player(team._id);
    const schedule = await organization.schedule(team._id);
    const created = ['player.created', 'schedule.created', 'team.created'];
    expect(await sorted(3)).toEqual(created);
    const change = (target: string, fields: object) => organization.call('patch', target).send(fields).expect(200);
    // Not the name, which the title of the game follows.
    await change(`/teams/${team._id}`, { ageGroup: '12U' });
    await change(`/teams/${team._id}/players/${player._id}`, { name: 'Sam Lee' });
    await change(`/schedules/${schedule._id}`, { teamId: team._id, eventTitle: 'Final' });
    await server.asSuperAdmin('put', `/schedules/${schedule._id}/player-statistics`).send({ rows: [] }).expect(200);
    const updated = ['player-statistics.updated', 'player.updated', 'schedule.updated', 'team.updated'];
    expect(await sorted(7)).toEqual([...created, ...updated].sort());
    await organization.call('delete', `/schedules/${schedule._id}?teamId=${team._id}`).expect(200);
    await organization.call('delete', `/teams/${team._id}/players/${player._id}`).expect(200);
    await organization.call('delete', `/teams/${team._id}`).expect(200);
    const deleted = ['player.deleted', 'schedule.deleted', 'team.deleted'];
    expect(await sorted(10)).toEqual([...created, ...updated, ...deleted].sort());
    const ofPlayer = receiver.events.find(({ event }) => event.type === 'player.deleted');
    expect(ofPlayer?.event.data).toEqual({
      kind: 'player',
      id: player._id,
      teamId: team._id,
      revision: 3,
      deleted: true,
      changedBy: organization.asChangedBy(),
    });
  });

  it('is sent for new and changed seasons of the organization', async () => {
    await subscribe({ events: ['season.created', 'season.updated'] });
    const { _id } = await organization.season();
    await receiver.waitFor(1);
    await organization.call('patch', `/seasons/${_id}`).send({ name: 'Fall 2027', externalId: 'fall' }).expect(200);
    await receiver.waitFor(2);
    const [created, updated] = receiver.events.map(({ event }) => event);
    const data = { kind: 'season', id: _id, deleted: false };
    expect(created).toMatchObject({ type: 'season.created', data });
    expect(updated).toMatchObject({ type: 'season.updated', data: { ...data, externalId: 'fall', revision: 2 } });
  });

  it('is sent to each endpoint that subscribes to it, and to no other', async () => {
    const [all, teams, players] = [
      await subscribe(),
      await subscribe({ events: ['team.created'] }),
      await subscribe({ events: ['player.created'] }),
    ];
    const disabled = await subscribe();
    await organization.call('patch', `${path}/${disabled._id}`).send({ isEnabled: false }).expect(200);
    await organization.team();
    await receiver.waitFor(2);
    await eventuallyPasses(async () => expect((await deliveriesTo(all))[0]?.status).toBe('succeeded'));
    expect((await deliveriesTo(teams)).map(({ event }) => event)).toEqual(['team.created']);
    expect(await deliveriesTo(players)).toEqual([]);
    expect(await deliveriesTo(disabled)).toEqual([]);
  });

  it('is not sent to other organizations', async () => {
    const other = await createOrganization(server);
    const foreign = await other.call('post', path).send({ url: receiver.url }).expect(201);
    const endpoint = await subscribe();
    await organization.team();
    await receiver.waitFor(1);
    await eventuallyPasses(async () => expect((await deliveriesTo(endpoint))[0]?.status).toBe('succeeded'));
    const body = await bodyOf(other.call('get', `${path}/${(foreign.body as Stored)._id}/deliveries`).expect(200));
    expect(body).toEqual({ data: [], total: 0 });
  });
});

describe('a secret', () => {
  it('signs beside the new one after a rotation', async () => {
    const endpoint = await subscribe();
    const body = await bodyOf(organization.call('post', `${path}/${endpoint._id}/rotate-secret`).expect(200));
    await organization.call('post', `${path}/${endpoint._id}/test`).expect(202);
    await receiver.waitFor(1);
    const [received] = receiver.received;
    if (received === undefined) throw new Error('Nothing was received');
    expect(received.event).toMatchObject({ type: 'ping', data: {} });
    expect((body as Endpoint).secret).not.toBe(endpoint.secret);
    for (const secret of [endpoint.secret, (body as Endpoint).secret]) WebhookReceiver.verify(secret, received);
    expect(() => new Webhook('whsec_c2VjcmV0').verify(received.body, received.headers)).toThrow();
  });

  it('of each of several rotations at once is returned only if it signs', async () => {
    const endpoint = await subscribe();
    const rotate = () => organization.call('post', `${path}/${endpoint._id}/rotate-secret`).expect(200);
    const secrets = (await Promise.all([rotate(), rotate()])).map(({ body }) => (body as Endpoint).secret);
    await organization.call('post', `${path}/${endpoint._id}/test`).expect(202);
    await receiver.waitFor(1);
    const [received] = receiver.received;
    if (received === undefined) throw new Error('Nothing was received');
    for (const secret of secrets) WebhookReceiver.verify(secret, received);
  });
});

describe('a failing endpoint', () => {
  it('gets the delivery again after five seconds, with the same ID, and recovers', async () => {
    receiver.respond = (response) => void response.writeHead(500).end();
    const endpoint = await subscribe();
    await organization.team();
    await eventuallyPasses(async () =>
      expect(await read(endpoint)).toMatchObject({ status: 'failing', lastDelivery: { statusCode: 500 } }),
    );
    const [failed] = await deliveriesTo(endpoint);
    expect(failed).toMatchObject({ status: 'pending', attempts: [{ statusCode: 500 }] });
    const wait = Date.parse(failed?.nextAttemptAt ?? '') - Date.parse(failed?.attempts[0]?.at ?? '');
    expect([wait >= 4_500, wait < 60_000]).toEqual([true, true]);
    receiver.respond = (response) => void response.writeHead(200).end();
    await eventuallyPasses(async () => expect(await read(endpoint)).toMatchObject({ status: 'active' }), 20);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(receiver.received.length).toBe(2);
  });

  it('is disabled by a response with 410, with an audit entry of the server', async () => {
    receiver.respond = (response) => void response.writeHead(410).end();
    const endpoint = await subscribe();
    await organization.team();
    await eventuallyPasses(async () =>
      expect(await read(endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'gone' }),
    );
    const body = await bodyOf(
      server
        .asSuperAdmin('get', `/audit-events?organizationId=${organization.id}&action=updateWebhookEndpoint`)
        .expect(200),
    );
    expect((body as { data: unknown[] }).data).toMatchObject([
      {
        actor: { kind: 'server' },
        target: { kind: 'webhookEndpoint', _id: endpoint._id },
        changes: { isEnabled: false, disabledReason: 'gone' },
      },
    ]);
  });

  it('stays disabled by the operator, although it responds 410 later', async () => {
    let respond = (): unknown => undefined;
    receiver.respond = (response) => (respond = () => void response.writeHead(410).end());
    const endpoint = await subscribe();
    await organization.team();
    await receiver.waitFor(1);
    await server.asSuperAdmin('patch', `${path}/${endpoint._id}`).send({ isEnabled: false }).expect(200);
    respond();
    await eventuallyPasses(async () =>
      expect(await read(endpoint)).toMatchObject({ lastDelivery: { statusCode: 410 }, disabledReason: 'admin' }),
    );
    expect(server.log).not.toContain('Deliveries to an endpoint were interrupted');
    expect(await read(endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'admin' });
  });
});

describe('POST /webhook-endpoints/{id}/deliveries/{deliveryId}/retry', () => {
  it('sends a delivery again at once, although the endpoint is paused', async () => {
    receiver.respond = (response) => void response.writeHead(429, { 'Retry-After': '3600' }).end();
    const endpoint = await subscribe();
    await organization.team();
    await eventuallyPasses(async () => expect(await read(endpoint)).toMatchObject({ status: 'failing' }));
    receiver.respond = (response) => void response.writeHead(204).end();
    const [{ _id } = { _id: '' }] = await deliveriesTo(endpoint);
    const body = await bodyOf(organization.call('post', `${path}/${endpoint._id}/deliveries/${_id}/retry`).expect(202));
    expect(body).toMatchObject({ _id, status: 'pending' });
    await eventuallyPasses(async () =>
      expect((await deliveriesTo(endpoint))[0]).toMatchObject({ _id, status: 'succeeded' }),
    );
    await eventuallyPasses(async () => expect(await read(endpoint)).toMatchObject({ status: 'active' }));
  });

  it('rejects a delivery that does not exist, and one of another endpoint', async () => {
    const [first, second] = [await subscribe(), await subscribe({ events: ['schedule.created'] })];
    const body = await bodyOf(organization.call('post', `${path}/${first._id}/test`).expect(202));
    for (const id of [unknownId, (body as Delivery)._id])
      expectError(await organization.call('post', `${path}/${second._id}/deliveries/${id}/retry`), 40409);
  });
});

describe('GET /webhook-endpoints/{id}/deliveries', () => {
  it('pages through the log, newest first', async () => {
    const endpoint = await subscribe();
    const sent: string[] = [];
    for (let each = 0; each < 5; each += 1)
      sent.unshift(
        ((await bodyOf(organization.call('post', `${path}/${endpoint._id}/test`).expect(202))) as Delivery)._id,
      );
    const seen: string[] = [];
    let cursor = '';
    do {
      const body = await bodyOf(
        organization.call('get', `${path}/${endpoint._id}/deliveries?limit=2${cursor}`).expect(200),
      );
      const page = body as { data: Delivery[]; total: number; nextCursor?: string };
      expect(page.total).toBe(5);
      seen.push(...page.data.map(({ _id }) => _id));
      cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(sent);
  });
});
