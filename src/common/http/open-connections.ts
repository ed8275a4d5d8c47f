import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * How many requests of one connection may be unanswered. All that a client pipelines is read in one turn of the event
 * loop: 30 connections with 3,600 requests each blocked it for seven seconds.
 */
const maxPipelined = 100;
/** How long running requests may take when the server stops, and a connection that has sent nothing yet. */
const maxRequestMilliseconds = 10_000;
const maxSilentMilliseconds = 1_000;
const sweepMilliseconds = 50;

interface Connection {
  readonly socket: Socket;
  /** The response to its newest request, whether it is sent or not. */
  newest: ServerResponse | undefined;
  /** The responses under way; several if requests are pipelined. */
  readonly open: Set<ServerResponse>;
}

/** Tracks connections and their responses, to limit pipelining and to close every connection after its last response. */
export class OpenConnections {
  private readonly connections = new Map<Duplex, Connection>();
  private isEnding = false;

  /** Tracks the connections of a server from now on. */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const connection: Connection = { socket, newest: undefined, open: new Set() };
      this.connections.set(socket, connection);
      socket.once('close', () => {
        // Node closes only the response whose turn it is. Those behind it would never report their end.
        setImmediate(() => {
          this.connections.delete(socket);
          connection.open.forEach(close);
        });
      });
    });
  }

  /** The middleware that tracks responses. */
  readonly track = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const { socket } = request;
    const connection = this.connections.get(socket);
    if (connection !== undefined && connection.open.size >= maxPipelined) socket.destroy();
    // Requests that were read together with the one over the limit are dropped, too.
    if (connection === undefined || socket.destroyed) return;
    const before = connection.newest;
    connection.newest = response;
    if (this.isEnding) {
      // RFC 9112, 9.6: no request is processed behind a response that closes the connection.
      if (before?.headersSent === true && before.getHeader('Connection') === 'close') return;
      if (before?.headersSent === false) before.removeHeader('Connection');
      response.setHeader('Connection', 'close');
    }
    connection.open.add(response);
    response.once('close', () => connection.open.delete(response));
    next();
  };

  /** Returns the response to the newest request of a connection, whether it is sent or not. */
  newestOn(socket: Duplex): ServerResponse | undefined {
    return this.connections.get(socket)?.newest;
  }

  isOpen(response: ServerResponse): boolean {
    return this.connections.get(response.req.socket)?.open.has(response) ?? false;
  }

  /** From now on every connection ends with its next response, or with its last one if several are under way. */
  endAfterResponse(): void {
    this.isEnding = true;
    for (const { newest, open } of this.connections.values()) {
      if (newest !== undefined && open.has(newest) && !newest.headersSent) newest.setHeader('Connection', 'close');
    }
  }

  /** Stops listening and waits until running requests are answered, at most 10 s. */
  async close(server: Server): Promise<void> {
    // Requests that have arrived but are not read yet are still served.
    await nextTurn();
    const sweep = setInterval(() => setImmediate(() => server.closeIdleConnections()), sweepMilliseconds);
    // Node takes a connection that has sent nothing for a running request.
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

function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}
