import type { Duplex } from 'node:stream';
import { envelopeOf } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { requestIdFrom, requestIdHeader } from './request-id.js';

/** Answers what is no HTTP, or is not sent in time, in the envelope too, and closes the connection. */
export function answerBrokenRequests(error: Error & { code?: string }, socket: Duplex): void {
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
