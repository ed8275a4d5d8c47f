import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { publicDocument } from './operations.js';
import { eventuallyPasses } from './processes.js';

/** From the published document: the list in the source would load Nest. */
const { enum: events } = publicDocument.components?.schemas?.['WebhookEvent'] as { enum: string[] };
/** For tests that count events: creating a team here also creates a season. */
export const eventsWithoutSeasons = events.filter((event) => !event.startsWith('season.'));

/** A request as it arrived. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly at: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

type Respond = (response: ServerResponse, received: ReceivedWebhook) => void;

/** A partner's receiver on this machine. It responds 204 unless told otherwise. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** The largest number of requests at the same time. */
  mostAtOnce = 0;
  respond: Respond = (response) => void response.writeHead(204).end();
  private atOnce = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.onRequest(request, response));
  }

  static async start(respond?: Respond): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new WebhookReceiver(server);
    if (respond !== undefined) receiver.respond = respond;
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks`;
  }

  /** The events that were received, without those with a repeated ID. */
  get events(): ReceivedWebhook[] {
    return [...new Map(this.received.map((each) => [each.id, each])).values()];
  }

  /** Waits until the number of different events has been received. */
  waitFor(count: number, withinSeconds?: number): Promise<void> {
    return eventuallyPasses(() => expect(this.events.length).toBeGreaterThanOrEqual(count), withinSeconds);
  }

  /** Throws unless the request is signed with the secret. */
  static verify(secret: string, { headers, body }: ReceivedWebhook): void {
    new Webhook(secret).verify(body, headers);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    response.on('close', () => (this.atOnce -= 1));
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const headers = request.headers as Record<string, string>;
    const event = JSON.parse(body) as ReceivedWebhook['event'];
    const received = { id: headers['webhook-id'] ?? '', at: Date.now(), headers, body, event };
    this.received.push(received);
    this.respond(response, received);
  }
}
