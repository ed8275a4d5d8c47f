import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrganization, type Stored, type TestOrganization } from '../../../support/organization.js';
import { eventuallyPasses } from '../../../support/processes.js';
import type { RunningServer } from '../../../support/server.js';
import { WebhookReceiver } from '../../../support/webhook-receiver.js';

/** How long writes are retried while servers and databases are unavailable, in milliseconds. */
const retryMilliseconds = 60_000;
/** Longer than the lease of a killed server. */
const deliverySeconds = 100;

/** The part of a delivery in the log that tests read. */
interface LoggedDelivery {
  readonly _id: string;
  readonly status: string;
}

/** Writes of an organization, and their events at one receiver. */
export class WebhookRun {
  /** The events of the writes that have succeeded. */
  private readonly expected: string[] = [];
  private written = 0;

  private constructor(
    private readonly organization: TestOrganization,
    readonly receiver: WebhookReceiver,
    private readonly endpoint: Stored & { readonly secret: string },
    private readonly path: string,
  ) {}

  /** Creates an organization with an endpoint at a receiver. */
  static async start(server: RunningServer, receiver: WebhookReceiver): Promise<WebhookRun> {
    const organization = await createOrganization(server);
    const { _id: teamId } = await organization.team();
    const fields = { url: receiver.url, events: ['player.created', 'player.updated'] };
    const response = await organization.call('post', '/webhook-endpoints').send(fields).expect(201);
    const endpoint = response.body as Stored & { secret: string };
    return new WebhookRun(organization, receiver, endpoint, `/teams/${teamId}/players`);
  }

  /** Creates and changes players over the servers in turn, each twice, until each write has succeeded. */
  async write(players: number, servers: readonly RunningServer[] = [this.organization.server]): Promise<void> {
    for (let index = 0; index < players; index++) {
      const { _id } = await this.send(servers, 'post', this.path, { name: `Player ${index}` }, randomUUID());
      this.expected.push(`player.created ${_id}`);
      await this.send(servers, 'patch', `${this.path}/${_id}`, { name: `Changed ${index}` });
      this.expected.push(`player.updated ${_id}`);
    }
  }

  /**
   * Waits until every event has arrived and is logged as succeeded, and expects one `webhook-id` for each, and never two
   * requests at once.
   */
  async finish(server: RunningServer = this.organization.server): Promise<void> {
    const missing = () => [...this.arrivals()].filter(([, received]) => received.length === 0).map(([event]) => event);
    await eventuallyPasses(() => expect(missing()).toEqual([]), deliverySeconds);
    await eventuallyPasses(async () => {
      const unfinished = (await this.deliveries(server)).filter(({ status }) => status !== 'succeeded');
      expect(unfinished).toEqual([]);
    }, deliverySeconds);
    for (const each of this.receiver.received) WebhookReceiver.verify(this.endpoint.secret, each);
    for (const [event, arrivals] of this.arrivals())
      expect([event, new Set(arrivals.map(({ id }) => id)).size]).toEqual([event, 1]);
    expect(this.receiver.mostAtOnce).toBe(1);
  }

  /** Returns the delivery log, at most 100 entries. */
  async deliveries(server: RunningServer = this.organization.server): Promise<LoggedDelivery[]> {
    const path = `/webhook-endpoints/${this.endpoint._id}/deliveries?limit=100`;
    const response = await this.organization.over(server).call('get', path).expect(200);
    return (response.body as { data: LoggedDelivery[] }).data;
  }

  /** Returns the requests with the event of each write, in the order of the writes. */
  private arrivals(): Map<string, WebhookReceiver['received']> {
    const arrivals = new Map(this.expected.map((event) => [event, [] as WebhookReceiver['received']]));
    for (const each of this.receiver.received)
      arrivals.get(`${each.event.type} ${String(each.event.data['id'])}`)?.push(each);
    return arrivals;
  }

  /** Sends a request, over the next server after each failure, until it succeeds. */
  private async send(
    servers: readonly RunningServer[],
    method: 'post' | 'patch',
    path: string,
    body: object,
    key?: string,
  ): Promise<Stored> {
    for (const end = Date.now() + retryMilliseconds; ;) {
      const server = servers[this.written++ % servers.length] ?? this.organization.server;
      const request = this.organization.over(server).call(method, path);
      if (key !== undefined) void request.set('idem-key', key);
      const response = await request.send(body).catch(() => undefined);
      if (response !== undefined && response.status < 300) return response.body as Stored;
      if (Date.now() > end) throw new Error(`${method} ${path}: ${response?.status} ${response?.text}`);
      await sleep(100);
    }
  }
}
