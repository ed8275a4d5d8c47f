/**
 * Receives webhooks: verifies each request, responds immediately, ignores repeated events, and prints the others. Copy and
 * adapt it.
 *
 *   npm install standardwebhooks
 *   WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.mts
 *
 * Requires Node.js 22.18 or later, which runs TypeScript. Run it behind a proxy that serves the `https` URL of the endpoint.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

type WebhookEvent = { type: string; timestamp: string; data: { kind?: string; id?: string; revision?: number } };

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
/** The IDs of received events. Store the events in your database instead, by ID, so that a crash loses none. */
const received = new Set<string>();

/** Returns the status of the response. A 2xx status tells the server not to send the event again. */
async function receive(request: IncomingMessage): Promise<number> {
  // A request has fewer than 1,000 bytes.
  if (!(Number(request.headers['content-length']) <= 10_000)) return 400;
  // The signature covers the raw body, so verify it before parsing.
  const body = await text(request);
  const headers = request.headers as Record<string, string>;
  let event: WebhookEvent;
  try {
    // Also rejects a timestamp that differs from the clock by more than five minutes.
    event = webhook.verify(body, headers) as WebhookEvent;
  } catch {
    return 400;
  }
  const id = headers['webhook-id'] ?? '';
  if (!received.has(id)) {
    received.add(id);
    setImmediate(() => handle(id, event)); // After the response.
  }
  return 204;
}

/** Replace this, for example by reading the changed record. */
function handle(id: string, event: WebhookEvent): void {
  console.log(JSON.stringify({ id, ...event }));
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    () => response.destroy(), // The connection was lost.
  );
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on port ${(server.address() as AddressInfo).port}`);
});
