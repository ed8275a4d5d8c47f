import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Bag } from '../bag.js';

/** A connection that has asked nothing may be about to, for so many milliseconds. */
const longestSilence = 1_000;

interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
}

/** The connections that are open, so that all of them can be closed when the server stops. */
export class OpenConnections {
  private readonly open = new Bag<Connection>();

  /** Keeps the connections of a server from now on. */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const connection = { socket, openedAt: performance.now() };
      this.open.add(connection);
      socket.once('close', () => this.open.delete(connection));
    });
  }

  /** Closes those that have no request under way; Node takes one that never asked anything for a request. */
  closeIdle(server: Server): void {
    server.closeIdleConnections();
    const longAgo = performance.now() - longestSilence;
    for (const { socket, openedAt } of this.open) if (socket.bytesRead === 0 && openedAt < longAgo) socket.destroy();
  }

  /** Closes all; Node's own way leaves those that were refused as no HTTP to their client. */
  closeAll(): void {
    for (const { socket } of this.open) socket.destroy();
  }
}
