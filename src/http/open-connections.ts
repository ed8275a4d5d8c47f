import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Maximum number of pending requests on one connection. Node reads all pipelined requests in one turn of the event
 * loop: 30 connections with 3,600 requests each blocked it for seven seconds.
 */
const maxPipelined = 100;
/** How long a shutdown waits for running requests, and for connections that have not sent anything yet. */
const maxRequestMilliseconds = 10_000;
const maxSilentMilliseconds = 1_000;
const sweepMilliseconds = 50;

interface Connection {
  readonly socket: Socket;
  /** The response to the newest request, sent or not. */
  newest: ServerResponse | undefined;
  /** Pending responses; several if requests are pipelined. */
  readonly open: Set<ServerResponse>;
}

/** Tracks connections and their pending responses, to limit pipelining and to shut down gracefully. */
export class OpenConnections {
  private readonly connections = new Map<Duplex, Connection>();
  private isEnding = false;

  /** Starts to track the connections of a server. */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const connection: Connection = { socket, newest: undefined, open: new Set() };
      this.connections.set(socket, connection);
      socket.once('close', () => {
        // Node closes only the current response. Pipelined ones after it would never emit `close`.
        setImmediate(() => {
          this.connections.delete(socket);
          for (const response of connection.open) response.destroy().emit('close');
        });
      });
    });
  }

  readonly track = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const { socket } = request;
    const connection = this.connections.get(socket);
    if (connection !== undefined && connection.open.size >= maxPipelined) socket.destroy();
    // Also drops requests that were read together with the one over the limit.
    if (connection === undefined || socket.destroyed) return;
    const before = connection.newest;
    connection.newest = response;
    if (this.isEnding) {
      // RFC 9112, 9.6: requests after a response that closes the connection are not processed.
      if (before?.headersSent === true && before.getHeader('Connection') === 'close') return;
      if (before?.headersSent === false) before.removeHeader('Connection');
      response.setHeader('Connection', 'close');
    }
    connection.open.add(response);
    response.once('close', () => connection.open.delete(response));
    next();
  };

  /** Returns the number of pending requests of a connection. */
  pendingOn(socket: Duplex): number {
    return this.connections.get(socket)?.open.size ?? 0;
  }

  /** Returns the response to the newest request of a connection, sent or not. */
  newestOn(socket: Duplex): ServerResponse | undefined {
    return this.connections.get(socket)?.newest;
  }

  isOpen(response: ServerResponse): boolean {
    return this.connections.get(response.req.socket)?.open.has(response) ?? false;
  }

  /** Closes every connection after its next response, or after its last one if several are pending. */
  endAfterResponse(): void {
    this.isEnding = true;
    for (const { newest, open } of this.connections.values()) {
      if (newest !== undefined && open.has(newest) && !newest.headersSent) newest.setHeader('Connection', 'close');
    }
  }

  /** Stops listening and waits for running requests, at most 10 s. */
  async close(server: Server): Promise<void> {
    // Still processes requests that have arrived but have not been read yet.
    await nextTurn();
    const sweep = setInterval(() => setImmediate(() => server.closeIdleConnections()), sweepMilliseconds);
    // Node counts a connection that has sent nothing as a running request.
    const silent = setTimeout(() => this.destroyAll(({ bytesRead }) => bytesRead === 0), maxSilentMilliseconds);
    const late = setTimeout(() => this.destroyAll(() => true), maxRequestMilliseconds);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearInterval(sweep);
    clearTimeout(silent);
    clearTimeout(late);
  }

  private destroyAll(matches: (socket: Socket) => boolean): void {
    for (const { socket } of this.connections.values()) if (matches(socket)) socket.destroy();
  }
}
