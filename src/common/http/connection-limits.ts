import type { Server } from 'node:http';

/** How long a client may take, in milliseconds. */
export const connectionLimits = {
  /** From the first byte of a request, or of the connection, to the end of the headers. */
  headers: 10_000,
  /** For a whole request with its body. */
  request: 30_000,
  /** Without any byte sent or received; longer than this server takes for any response. */
  inactivity: 15_000,
  /** Without a request on a kept connection. Proxies give up after 60 s: closing before them would lose requests. */
  keepAlive: 65_000,
  /** How often Node checks headers and requests under way. */
  check: 1_000,
};

/** Limits what a slow client can hold; call it before the server listens. */
export function limitConnections(server: Server, limits = connectionLimits): void {
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.timeout = limits.inactivity;
  server.keepAliveTimeout = limits.keepAlive;
  // By default Node drops headers beyond a count silently; their total size limits them.
  server.maxHeadersCount = 0;
  Object.assign(server, { connectionsCheckingInterval: limits.check });
}
