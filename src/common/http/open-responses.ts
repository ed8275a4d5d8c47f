import type { Duplex } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Bag } from '../bag.js';

/**
 * How many requests of one connection may be unanswered. All that a client pipelines is read in one turn of the event loop:
 * 30 connections with 3,600 requests each blocked it for seven seconds.
 */
const mostPipelined = 100;

/** What is known of a connection. */
interface Asked {
  /** The answer to its newest request, whether it is out or not. */
  newest: ServerResponse | undefined;
  /** The answers that are under way, several where requests come one behind the other. */
  readonly open: Bag<ServerResponse>;
}

/** The answers that are under way, so that each connection can be ended with its last answer when the server stops. */
export class OpenResponses {
  private readonly asked = new Bag<Asked>();
  private readonly askedOn = new WeakMap<Duplex, Asked>();
  private ending = false;

  /** The step that keeps them. */
  readonly track = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const asked = this.askedOn.get(request.socket) ?? this.firstAsked(request.socket);
    if (asked.open.size >= mostPipelined) request.socket.destroy();
    // What was read along with the request that was one too many is passed over, too.
    if (request.socket.destroyed) return;
    const before = asked.newest;
    asked.newest = response;
    if (this.ending) {
      // Sent behind one whose answer ends the connection, so that nobody would get this answer: it is not begun.
      if (before?.headersSent === true && endsConnection(before)) return;
      this.endWith(response, before);
    }
    asked.open.add(response);
    response.once('close', () => asked.open.delete(response));
    next();
  };

  /** The answer to the newest request of a connection, whether it is out or not. */
  newestOn(socket: Duplex): ServerResponse | undefined {
    return this.askedOn.get(socket)?.newest;
  }

  isOpen(response: ServerResponse): boolean {
    return this.askedOn.get(response.req.socket)?.open.has(response) ?? false;
  }

  /** From now on every connection ends with its next answer, or its last one where more are under way on it. */
  endConnections(): void {
    this.ending = true;
    for (const { newest, open } of this.asked) {
      if (newest !== undefined && open.has(newest) && !newest.headersSent) this.endWith(newest);
    }
  }

  private firstAsked(socket: Duplex): Asked {
    const asked: Asked = { newest: undefined, open: new Bag() };
    this.askedOn.set(socket, asked);
    this.asked.add(asked);
    // Behind Node's own, which closes only the answer whose turn it is: those behind it would never hear of it.
    socket.once('close', () => {
      this.asked.delete(asked);
      setImmediate(() => [...asked.open].forEach(close));
    });
    return asked;
  }

  /** The connection ends with this answer, and not with the one before it. */
  private endWith(response: ServerResponse, before?: ServerResponse): void {
    response.setHeader('Connection', 'close');
    if (before !== undefined && !before.headersSent) before.removeHeader('Connection');
  }
}

/** As Node does it with an answer whose connection is gone: nothing more is kept of it, and all who wait hear of it. */
function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}

function endsConnection(response: ServerResponse): boolean {
  return response.getHeader('Connection') === 'close';
}
