import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedRequest } from './served-request.js';

export const requestIdHeader = 'X-Request-Id';
/** Headers of every response, also of one that is written before any middleware has run. */
export const alwaysSent = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

const acceptable = /^[A-Za-z0-9._-]{8,128}$/;

/** The id of a request: the caller's own where it is acceptable, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && acceptable.test(header) ? header : randomUUID();
}

/**
 * Gives every request its id, before anything else can answer it. An API key that was put into the wrong header is no
 * id: ids are logged, kept and answered.
 * @param livePrefix what API keys begin with
 */
export function requestId(livePrefix: string) {
  const apiKey = new RegExp(`${livePrefix}[0-9A-Za-z]{50}`);
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const header = request.headers['x-request-id'];
    const id = requestIdFrom(apiKey.test(String(header)) ? undefined : header);
    (request as ServedRequest).requestId = id;
    response.setHeader(requestIdHeader, id);
    next();
  };
}

/** Keeps every response out of caches: it belongs to one caller. */
export function noStore(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader('Cache-Control', alwaysSent['Cache-Control']);
  next();
}
