import { maxHeaderSize, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { helpLink, sendEnvelope, ServiceError } from '../errors/service-error.js';
import type { OpenConnections } from './open-connections.js';
import { requestIdFrom, requestIdHeader } from './request-head.js';

/** Properties of Node's server that limit what a slow client can occupy, in milliseconds. Set before it listens. */
export const connectionLimits = {
  /** From the first byte of a request, or of the connection, to the end of the headers. */
  headersTimeout: 10_000,
  /** For a whole request with its body. */
  requestTimeout: 30_000,
  /** Without a byte sent or received; longer than this server takes for any response. */
  timeout: 15_000,
  /** Between requests. Longer than the 60 s of common proxies, which could otherwise send on a closing connection. */
  keepAliveTimeout: 65_000,
  /** Interval in which Node checks the limits for headers and requests. */
  connectionsCheckingInterval: 1_000,
  /** By default Node silently drops headers beyond a count; their total size limits them instead. */
  maxHeadersCount: 0,
};

type ClientError = Error & { code?: string };

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The headers are larger than ${maxHeaderSize} bytes`,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request was not sent in time',
};

/**
 * Sends the error envelope where Node would respond itself, without a body or request ID.
 * @param onUnreadable called for each error that belongs to no request
 */
export function handleClientErrors(server: Server, connections: OpenConnections, onUnreadable: () => void): void {
  const reject = createRejection(connections, onUnreadable);
  server.on('clientError', reject);
  server.on('timeout', (socket: Duplex) => {
    const newest = connections.newestOn(socket);
    // An inactive connection without an unfinished request is closed without a response.
    if (newest === undefined || newest.req.complete) socket.destroy();
    else reject(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  });
  server.on('connect', (_request, socket: Duplex) => {
    // Node has removed its own listener: without one, a connection reset would end the process.
    socket.on('error', () => socket.destroy());
    reject(new Error('CONNECT is not supported'), socket);
  });
  // An unknown expectation may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  Object.assign(server, { requireHostHeader: false }); // checked by rejectAmbiguousHead
}

/** Returns a function that rejects input that is not HTTP or is not sent in time, and closes the connection. */
function createRejection(connections: OpenConnections, onUnreadable: () => void) {
  const rejected = new WeakSet<Duplex>();
  return (error: ClientError, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Node reports an error for every further chunk of unreadable input.
    if (rejected.has(socket)) return;
    rejected.add(socket);
    const { [error.code ?? '']: message = errorCatalogue.malformedRequest.message } = messages;
    const serviceError = new ServiceError('malformedRequest', { message });
    const newest = connections.newestOn(socket);
    // The unreadable input either follows the newest request, whose response is sent first, or is its body.
    if (newest === undefined || newest.req.complete) {
      onUnreadable();
      if (newest === undefined || !connections.isOpen(newest)) sendRaw(socket, serviceError);
      else newest.once('close', () => sendRaw(socket, serviceError));
    } else if (newest.headersSent) {
      socket.destroy(); // The request already has its response.
    } else {
      newest.setHeader('Connection', 'close');
      sendEnvelope(newest.req, newest, serviceError);
    }
  };
}

/** Writes an error response to a socket that has no request object. */
function sendRaw(socket: Duplex, error: ServiceError): void {
  if (!socket.writable) return;
  const traceId = requestIdFrom(undefined);
  const body = JSON.stringify(error.envelope(traceId));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    [requestIdHeader]: traceId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Link: helpLink(error.entry),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`);
}
