import { maxHeaderSize, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { envelopeOf, sendEnvelope } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import type { OpenConnections } from './open-connections.js';
import { alwaysSent, requestIdFrom, requestIdHeader } from './request-id.js';

type NodesError = Error & { code?: string };

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The headers are larger than ${maxHeaderSize} bytes`,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The extensions of the chunks are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request was not sent in time',
};

/**
 * Takes over the answers that Node would give by itself, without body and request id.
 * @param refused told of each that belongs to no request
 */
export function handleClientErrors(
  server: Server,
  connections: OpenConnections,
  refused: () => void = () => undefined,
): void {
  const refusals = new NodesRefusals(connections, refused);
  server.on('clientError', (error, socket) => refusals.refuse(error, socket));
  server.on('timeout', (socket: Duplex) => refusals.endStalled(socket));
  server.on('connect', (_request, socket: Duplex) => {
    // Node has removed its own listener: without one, a reset of the connection would end the process.
    socket.on('error', () => socket.destroy());
    refusals.refuse(new Error('This server is no proxy'), socket);
  });
  // An expectation that we do not know may be passed over (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  Object.assign(server, { requireHostHeader: false }); // rejectAmbiguousHead does this
}

/** Refuses what is no HTTP, or is not sent in time, in the envelope too, and closes the connection. */
class NodesRefusals {
  private readonly refused = new WeakSet<Duplex>();

  constructor(
    private readonly connections: OpenConnections,
    private readonly told: () => void,
  ) {}

  refuse(error: NodesError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Every further byte of what cannot be read is one more error.
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    const refusal = refusalOf(error);
    const newest = this.connections.newestOn(socket);
    // What is broken came after the newest request, whose answer goes out first, or it is this request's body.
    if (newest === undefined || newest.req.complete) {
      this.told();
      if (newest === undefined || !this.connections.isOpen(newest)) sendRaw(socket, refusal);
      else newest.once('close', () => sendRaw(socket, refusal));
    } else if (newest.headersSent) {
      socket.destroy(); // one request, one answer
    } else {
      newest.setHeader('Connection', 'close');
      sendEnvelope(newest.req, newest, refusal);
    }
  }

  /** Nothing was sent or read for too long: an unfinished request is refused, all else just ends. */
  endStalled(socket: Duplex): void {
    const newest = this.connections.newestOn(socket);
    if (newest === undefined || newest.req.complete) socket.destroy();
    else this.refuse(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  }
}

function refusalOf({ code = '' }: NodesError): ServiceError {
  const message = messages[code];
  return new ServiceError(errorCatalogue.malformedRequest, message === undefined ? {} : { message });
}

/** For a request of which there is nothing that Express could answer. */
function sendRaw(socket: Duplex, refusal: ServiceError): void {
  if (!socket.writable) return;
  const traceId = requestIdFrom(undefined);
  const body = JSON.stringify(envelopeOf(refusal, traceId));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    [requestIdHeader]: traceId,
    ...alwaysSent,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`);
}
