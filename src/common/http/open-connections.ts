import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that has asked nothing may be about to, for so many milliseconds. */
const longestSilence = 1_000;

/** The connections that are open, so that all of them can be closed when the server stops. */
export class OpenConnections {
  /** With the time at which each was opened. */
  private readonly open = new Map<Socket, number>();

  /** Keeps the connections of a server from now on. */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, performance.now());
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** Closes those that have no request under way; Node takes one that never asked anything for a request. */
  closeIdle(server: Server): void {
    server.closeIdleConnections();
    const longAgo = performance.now() - longestSilence;
    for (const [socket, opened] of this.open) if (socket.bytesRead === 0 && opened < longAgo) socket.destroy();
  }

  /** Closes all; Node's own way leaves those that were refused as no HTTP to their client. */
  closeAll(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }
}
