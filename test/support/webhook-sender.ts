import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Clock } from '../../src/common/clock.js';
import { parseConfiguration } from '../../src/common/config/configuration.js';
import { newRecordId } from '../../src/database/record.js';
import type { LeasedEndpoint, NextDelivery } from '../../src/modules/webhooks/webhook-queue.repository.js';
import type { AttemptResult } from '../../src/modules/webhooks/webhook.rules.js';
import { WebhookSender } from '../../src/modules/webhooks/webhook-sender.js';

export const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A sender with these variables. By default, it sends only to public addresses over https. */
export function newSender(variables: Record<string, string> = {}): WebhookSender {
  return new WebhookSender(parseConfiguration(variables), new Clock());
}

/** Sends an event to a URL. */
export function sendTo(sender: WebhookSender, url: string): Promise<AttemptResult> {
  const ids = { _id: newRecordId(), organizationId: newRecordId() };
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
