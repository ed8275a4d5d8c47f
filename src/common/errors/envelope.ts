import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedRequest } from '../http/served-request.js';
import { statusOf } from './error-catalogue.js';
import type { ServiceError, FieldProblem } from './service-error.js';

/** The body of every refusal. */
export interface ErrorEnvelope {
  readonly error: number;
  readonly message: string;
  readonly timestamp: string;
  readonly traceId: string;
  readonly details?: readonly FieldProblem[];
}

/** Returns the body of an error response. */
export function envelopeOf(error: ServiceError, traceId: string): ErrorEnvelope {
  return {
    error: error.entry.code,
    message: error.message,
    timestamp: new Date().toISOString(),
    traceId,
    ...(error.details && { details: error.details }),
  };
}

/** Answers a request with a refusal, unless its answer is already under way. Express need not have seen it. */
export function sendEnvelope(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  if (response.headersSent) return;
  const status = statusOf(error.entry);
  (request as ServedRequest).refusal = error.entry.code;
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  const body = JSON.stringify(envelopeOf(error, (request as ServedRequest).requestId));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
