import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { sendEnvelope, ServiceError } from '../errors/service-error.js';

const invalidTargets = new WeakSet<IncomingMessage>();
const malformedPaths = new WeakSet<IncomingMessage>();

/** Headers that must not be repeated: Node would use the first or join them. (`idem-key` has an error of its own.) */
const singularHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'origin',
  'transfer-encoding',
]);

/** A host name or address with an optional port (RFC 9110, 7.2); empty if the target has none. */
const hostPattern = /^(\[[\dA-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/;

/** Normalizes the target of each request before Express routes it. */
export function normalizeRequestTargets(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    // Without a listener, an error of a response whose connection was closed would end the process.
    response.on('error', () => undefined);
    toOriginForm(request);
    escapeMalformedPath(request);
    // Node's parser loses everything after an upgrade request, and no other protocol is supported.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
  });
}

/** Returns true if the path has a malformed percent-escape, or escapes that are not UTF-8. */
export function hasMalformedPath(request: IncomingMessage): boolean {
  return malformedPaths.has(request);
}

/** Rejects a request with an ambiguous head and closes the connection, as a proxy may read the rest differently. */
export function rejectAmbiguousHead(request: Request, response: Response, next: NextFunction): void {
  const problem = problemOf(request);
  if (problem === undefined) {
    next();
    return;
  }
  response.setHeader('Connection', 'close');
  sendEnvelope(request, response, new ServiceError(errorCatalogue.malformedRequest, { message: problem }));
}

/**
 * Replaces a target in absolute form (RFC 9112, 3.2.2), as proxies send it, by its path and query. Express would
 * respond to an invalid one in HTML before any middleware runs.
 */
function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/') || url.startsWith('*')) return;
  const [, path, query] = /^https?:\/\/[^/?#]+(\/[^?#]*)?(\?[^#]*)?/i.exec(url) ?? [];
  if (!URL.canParse(url)) invalidTargets.add(request);
  request.url = `${path ?? '/'}${query ?? ''}`;
}

/**
 * Escapes the percent signs of a path that cannot be decoded, so that it is routed and access is checked first. Express
 * would respond 400 while routing, even to a caller without a key.
 */
function escapeMalformedPath(request: IncomingMessage): void {
  const [path = '', ...query] = (request.url ?? '').split('?');
  if (!path.includes('%') || decode(path) !== undefined) return;
  malformedPaths.add(request);
  request.url = [path.replaceAll('%', '%25'), ...query].join('?');
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function problemOf(request: Request): string | undefined {
  if (invalidTargets.has(request)) return 'The request target is not a valid URL';
  return repeatedHeader(request) ?? hostProblem(request) ?? framingProblem(request);
}

function repeatedHeader({ rawHeaders }: Request): string | undefined {
  const seen = new Set<string>();
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (singularHeaders.has(name) && seen.has(name)) return `The ${name} header must not be repeated`;
    seen.add(name);
  }
  return undefined;
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
