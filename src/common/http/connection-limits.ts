import type { Server } from 'node:http';

/** How long a client may take, in milliseconds. */
export interface ConnectionLimits {
  /** From the first byte of a request, or of the connection, to the end of the headers. */
  readonly headers: number;
  /** For a whole request with its body. */
  readonly request: number;
  /** In which nothing is sent or read, whoever's turn it is; more than this server takes for any answer. */
  readonly inactivity: number;
  /** In which a connection that is kept open asks nothing. */
  readonly keepAlive: number;
  /** How often headers and requests that are under way are looked at, so how late they may be found. */
  readonly check: number;
}

export const connectionLimits: ConnectionLimits = {
  headers: 10_000,
  request: 30_000,
  inactivity: 15_000,
  // Proxies give up a connection after a minute; if we did so first, they would send requests into closed ones.
  keepAlive: 65_000,
  check: 1_000,
};

/** Bounds what a slow client can hold. Before the server listens: it reads some of it then. */
export function limitConnections(server: Server, limits: ConnectionLimits = connectionLimits): void {
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.timeout = limits.inactivity;
  server.keepAliveTimeout = limits.keepAlive;
  // Else Node drops what lies beyond its number in silence; the size of all headers together bounds them.
  server.maxHeadersCount = 0;
  Object.assign(server, { connectionsCheckingInterval: limits.check });
}
