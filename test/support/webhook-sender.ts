import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Clock } from '../../src/config/clock.js';
import { parseConfiguration } from '../../src/config/configuration.js';
import { newRecordId } from '../../src/database/record.js';
import type { LeasedEndpoint, NextDelivery } from '../../src/modules/webhooks/webhook-queue.repository.js';
import type { AttemptResult } from '../../src/modules/webhooks/webhook.rules.js';
import { WebhookHosts } from '../../src/modules/webhooks/webhook-hosts.js';
import { WebhookSender } from '../../src/modules/webhooks/webhook-sender.js';

export const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A sender with these variables. By default, it sends only to public addresses over https. */
export function newSender(variables: Record<string, string> = {}, clock = new Clock()): WebhookSender {
  const configuration = parseConfiguration({ MONGODB_URI: 'mongodb://127.0.0.1/unused', ...variables });
  return new WebhookSender(configuration, new WebhookHosts(configuration, clock), clock);
}

/** Sends an event to a URL. */
export function sendTo(sender: WebhookSender, url: string, organizationId = newRecordId()): Promise<AttemptResult> {
  const ids = { _id: newRecordId(), organizationId };
  const endpoint = { ...ids, url, secret: webhookSecret, leasedUntil: new Date() } as LeasedEndpoint;
  const delivery = { ...ids, body: '{"type":"ping"}' } as NextDelivery;
  return sender.send(endpoint, delivery);
}

/** A TCP server on all addresses of this machine that counts connections. */
export class TcpListener {
  private readonly sockets = new Set<Socket>();
  connections = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('connection', (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
    });
  }

  /** Starts one that passes each connection on; without a function, it only reads. */
  static async start(onConnection: (socket: Socket) => void = (socket) => void socket.resume()): Promise<TcpListener> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '::', resolve));
    return new TcpListener(server, (server.address() as AddressInfo).port);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
