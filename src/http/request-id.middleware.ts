import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from './api-request.js';
import { apiKeyPattern } from '../access/public-api.js';

export const requestIdHeader = 'X-Request-Id';
/** Headers of every response, including those that are written before any middleware has run. */
export const commonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

const validId = /^[A-Za-z0-9._-]{8,128}$/;

/** Returns the client's request ID if it is valid, otherwise a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && validId.test(header) ? header : randomUUID();
}

/**
 * Creates the middleware that sets the arrival time and ID of each request. An API key in the request ID header is
 * replaced by a new ID, because IDs are logged, stored and sent back.
 * @param liveKeyPrefix prefix of API keys
 */
export function requestId(liveKeyPrefix: string) {
  const apiKey = apiKeyPattern(liveKeyPrefix);
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const header = request.headers['x-request-id'];
    const id = requestIdFrom(apiKey.test(String(header)) ? undefined : header);
    Object.assign(request as ApiRequest, { arrivedAt: performance.now(), requestId: id });
    response.setHeader(requestIdHeader, id);
    next();
  };
}

/** Keeps every response out of caches, as each belongs to one caller. */
export function noStore(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Cache-Control', commonHeaders['Cache-Control']);
  next();
}
