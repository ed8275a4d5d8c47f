import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { apiKeyPattern, type KeyPrefixes } from '../access/public-api.js';
import { sendEnvelope, ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from './api-request.js';

export const requestIdHeader = 'X-Request-Id';
const validId = /^[A-Za-z0-9._-]{8,128}$/;

/** Headers that must not be repeated: Node would use the first or join them. (`idem-key` has an error of its own.) */
const singularHeaders = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'origin',
  'transfer-encoding',
];

/** A host name or address with an optional port (RFC 9110, 7.2); empty if the target has none. */
const hostPattern = /^(\[[\dA-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/;

/** Normalizes the target of each request before Express routes it. */
export function normalizeRequestTargets(server: Server): void {
  server.prependListener('request', (request: ApiRequest, response: ServerResponse) => {
    // Without a listener, an error of a response whose connection was closed would end the process.
    response.on('error', () => undefined);
    toOriginForm(request);
    escapeMalformedPath(request);
    // Node's parser loses everything after an upgrade request, and no other protocol is supported.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
  });
}

/** Lets Express send 304: Node's `fetch` adds `no-cache` to conditional requests, with which Express never would. */
export function allowNotModified(request: IncomingMessage): void {
  delete request.headers['cache-control'];
}

/** Returns the client's request ID if it is valid, otherwise a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && validId.test(header) ? header : randomUUID();
}

/**
 * Creates the middleware that sets the arrival time and ID of each request. An API key in the request ID header is
 * replaced by a new ID, because IDs are logged, stored and sent back.
 */
export function requestId(prefixes: KeyPrefixes) {
  const apiKey = apiKeyPattern(prefixes);
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const header = request.headers['x-request-id'];
    const id = requestIdFrom(apiKey.test(String(header)) ? undefined : header);
    Object.assign(request as ApiRequest, { arrivedAt: performance.now(), requestId: id });
    response.setHeader(requestIdHeader, id);
    next();
  };
}

/** Creates the middleware that sets helmet's headers, and keeps every response out of caches, as each belongs to one caller. */
export function securityHeaders() {
  const setHeaders = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    response.setHeader('Cache-Control', 'no-store');
    setHeaders(request, response, next);
  };
}

/** Rejects a request with an ambiguous head and closes the connection, as a proxy may read the rest differently. */
export function rejectAmbiguousHead(request: ApiRequest, response: Response, next: NextFunction): void {
  const problem = problemOf(request);
  if (problem === undefined) {
    next();
    return;
  }
  response.setHeader('Connection', 'close');
  sendEnvelope(request, response, new ServiceError('malformedRequest', { message: problem }));
}

/**
 * Replaces a target in absolute form (RFC 9112, 3.2.2), as proxies send it, by its path and query. Express would
 * respond to an invalid one in HTML before any middleware runs.
 */
function toOriginForm(request: ApiRequest): void {
  const { url } = request;
  if (url.startsWith('/') || url.startsWith('*')) return;
  const [, path, query] = /^https?:\/\/[^/?#]+(\/[^?#]*)?(\?[^#]*)?/i.exec(url) ?? [];
  if (!URL.canParse(url)) request.hasInvalidTarget = true;
  request.url = `${path ?? '/'}${query ?? ''}`;
}

/**
 * Escapes the percent signs of a path that cannot be decoded, so that it is routed and access is checked first. Express
 * would respond 400 while routing, even to a caller without a key.
 */
function escapeMalformedPath(request: ApiRequest): void {
  const [path = '', ...query] = request.url.split('?');
  try {
    decodeURIComponent(path);
  } catch {
    request.hasMalformedPath = true;
    request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

function problemOf(request: ApiRequest): string | undefined {
  if (request.hasInvalidTarget) return 'The request target is not a valid URL';
  return repeatedHeader(request) ?? hostProblem(request) ?? framingProblem(request);
}

/** Does not read `headersDistinct`, in which Node 24.7 throws for a header named `__proto__`. */
function repeatedHeader({ rawHeaders }: Request): string | undefined {
  const names = rawHeaders.filter((_text, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = singularHeaders.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  return repeated && `The ${repeated} header must not be repeated`;
}

function hostProblem({ headers, httpVersion }: Request): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The host header is missing' : undefined;
  return hostPattern.test(headers.host) ? undefined : 'The host header is malformed';
}

/** Rejects `transfer-encoding` before HTTP/1.1, as older proxies may see another end of the body (RFC 9112, 6.1). */
function framingProblem({ headers, httpVersion }: Request): string | undefined {
  const isOlder = httpVersion !== '1.1' && headers['transfer-encoding'] !== undefined;
  return isOlder ? 'The transfer-encoding header requires HTTP/1.1' : undefined;
}

/** Returns the pattern of the matched route, or undefined if none matched. */
export function routePattern({ route }: ApiRequest): string | undefined {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : undefined;
}

/** Returns the token of an `Authorization: Bearer <token>` header, or undefined. The scheme is case-insensitive. */
export function parseBearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** Returns true for the URL of a health check, with or without a query. */
export function isHealthCheck(url: string): boolean {
  return /^\/health\/(?:live|ready)\/?(?:\?|$)/i.test(url);
}
