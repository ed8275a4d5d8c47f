import type { Duplex } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The answers that are under way, so that each connection can be ended with its last answer when the server stops. */
export class OpenResponses {
  private readonly open = new Set<ServerResponse>();
  private readonly newest = new WeakMap<Duplex, ServerResponse>();
  private readonly openOf = new WeakMap<Duplex, Set<ServerResponse>>();
  private ending = false;

  /** The step that keeps them. */
  readonly track = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const before = this.newest.get(request.socket);
    this.newest.set(request.socket, response);
    if (this.ending) {
      // Sent behind one whose answer ends the connection, so that nobody would get this answer: it is not begun.
      if (before?.headersSent === true && endsConnection(before)) return;
      this.endWith(response, before);
    }
    const ofSocket = this.openOn(request.socket).add(response);
    this.open.add(response);
    response.once('close', () => {
      this.open.delete(response);
      ofSocket.delete(response);
    });
    next();
  };

  /** The answer to the newest request of a connection, whether it is out or not. */
  newestOn(socket: Duplex): ServerResponse | undefined {
    return this.newest.get(socket);
  }

  isOpen(response: ServerResponse): boolean {
    return this.open.has(response);
  }

  /** From now on every connection ends with its next answer, or its last one where more are under way on it. */
  endConnections(): void {
    this.ending = true;
    for (const response of this.open) {
      if (this.newest.get(response.req.socket) === response && !response.headersSent) this.endWith(response);
    }
  }

  private openOn(socket: Duplex): Set<ServerResponse> {
    const known = this.openOf.get(socket);
    if (known !== undefined) return known;
    const fresh = new Set<ServerResponse>();
    this.openOf.set(socket, fresh);
    // Behind Node's own, which closes only the answer whose turn it is: those behind it would never hear of it.
    socket.once('close', () => setImmediate(() => fresh.forEach(close)));
    return fresh;
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
