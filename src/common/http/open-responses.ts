import type { Duplex } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The answers that are under way, so that each connection can be ended with its next answer when the server stops. */
export class OpenResponses {
  private readonly open = new Set<ServerResponse>();
  private readonly newest = new WeakMap<Duplex, ServerResponse>();
  private ending = false;

  /** The step that keeps them. */
  readonly track = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (this.ending) response.setHeader('Connection', 'close');
    this.open.add(response);
    this.newest.set(request.socket, response);
    response.once('close', () => this.open.delete(response));
    next();
  };

  /** The answer to the newest request of a connection, whether it is out or not. */
  newestOn(socket: Duplex): ServerResponse | undefined {
    return this.newest.get(socket);
  }

  isOpen(response: ServerResponse): boolean {
    return this.open.has(response);
  }

  /** From now on every answer says that its connection ends with it. */
  endConnections(): void {
    this.ending = true;
    for (const response of this.open) if (!response.headersSent) response.setHeader('Connection', 'close');
  }
}
