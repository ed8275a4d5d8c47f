import type { Request, Response } from 'express';
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

/** Answers a request with a refusal, unless its answer is already under way. */
export function sendEnvelope(request: Request, response: Response, error: ServiceError): void {
  if (response.headersSent) return;
  const status = statusOf(error.entry);
  (request as ServedRequest).refusal = error.entry.code;
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  const { requestId, clock } = request as ServedRequest;
  response.status(status).json(envelopeOf(error, requestId, clock.now()));
}
