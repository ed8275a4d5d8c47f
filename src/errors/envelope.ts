import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from '../http/api-request.js';
import { statusOf } from './error-catalogue.js';
import type { ServiceError, FieldProblem } from './service-error.js';

/** Body of every error response. */
export interface ErrorEnvelope {
  readonly error: number;
  readonly message: string;
  readonly timestamp: string;
  readonly traceId: string;
  readonly details?: readonly FieldProblem[];
}

export function envelopeOf(error: ServiceError, traceId: string): ErrorEnvelope {
  return {
    error: error.entry.code,
    message: error.message,
    timestamp: new Date().toISOString(),
    traceId,
    ...(error.details && { details: error.details }),
  };
}

/** Sends an error response, unless a response was already sent. Also works before Express has seen the request. */
export function sendEnvelope(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  if (response.headersSent) return;
  const status = statusOf(error.entry);
  (request as ApiRequest).errorCode = error.entry.code;
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  const body = JSON.stringify(envelopeOf(error, (request as ApiRequest).requestId));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
