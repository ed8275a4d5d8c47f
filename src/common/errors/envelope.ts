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

/** A refusal as the body that leaves at this moment. */
export function envelopeOf(error: ServiceError, traceId: string, now: Date): ErrorEnvelope {
  return {
    error: error.entry.code,
    message: error.message,
    timestamp: now.toISOString(),
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
  const { requestId, clock } = request as ServedRequest;
  const body = JSON.stringify(envelopeOf(error, requestId, clock.now()));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
