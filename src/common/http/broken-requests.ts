import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NextFunction, Request, Response } from 'express';
import { envelopeOf, sendEnvelope } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { requestIdFrom, requestIdHeader } from './request-id.js';

/** Takes over the answers that Node would give by itself, without body and request id. */
export function takeOverNodesRefusals(server: Server): void {
  server.on('clientError', answerBrokenRequests);
  server.on('connect', (_request, socket) => answerBrokenRequests(new Error('This server is no proxy'), socket));
  // An expectation that we do not know may be passed over (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  Object.assign(server, { requireHostHeader: false }); // demandHost refuses in its place
}

/** Refuses a request of HTTP/1.1 that names no host, as RFC 9112, 3.2, demands. */
export function demandHost(request: Request, response: Response, next: NextFunction): void {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') {
    next();
    return;
  }
  response.setHeader('Connection', 'close');
  sendEnvelope(request, response, new ServiceError(errorCatalogue.malformedRequest));
}

/** Answers what is no HTTP, or is not sent in time, in the envelope too, and closes the connection. */
function answerBrokenRequests(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const traceId = requestIdFrom(undefined);
  const body = JSON.stringify(envelopeOf(new ServiceError(errorCatalogue.malformedRequest), traceId));
  const lines = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${traceId}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
