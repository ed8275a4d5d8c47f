import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { sendEnvelope } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';

const unreadableTargets = new WeakSet<IncomingMessage>();
const malformedPaths = new WeakSet<IncomingMessage>();

/**
 * Headers that may appear only once. Of several, Node takes the first or joins them, silently. (A repeated `idem-key` is joined
 * to a malformed one, which has an error of its own.)
 */
const singularHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'origin',
  'transfer-encoding',
]);

/** A name or an address, and an optional port (RFC 9110, 7.2); empty if the target has none. */
const hostPattern = /^(\[[\dA-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/;

/** Normalizes the target of each request before Express routes it. */
export function normalizeRequestTargets(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    // Without a listener, an error of a response whose connection was ended meanwhile would end the process.
    response.on('error', () => undefined);
    shortenTarget(request);
    escapeMalformedPath(request);
    // Node's parser loses what follows an upgrade request, and no other protocol is supported.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
  });
}

/** True if the path has a percent sign that begins no escape, or escapes that are not UTF-8. */
export function hasMalformedPath(request: IncomingMessage): boolean {
  return malformedPaths.has(request);
}

/** Rejects a request whose head is ambiguous, and closes its connection: a proxy may have read what follows differently. */
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
 * Makes a path of a target in absolute form (RFC 9112, 3.2.2), as proxies send it. Express would respond to an unreadable one
 * itself, in HTML and past every middleware.
 */
function shortenTarget(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/') || url.startsWith('*')) return;
  const [, path, query] = /^https?:\/\/[^/?#]+(\/[^?#]*)?(\?[^#]*)?/i.exec(url) ?? [];
  if (!URL.canParse(url)) unreadableTargets.add(request);
  request.url = `${path ?? '/'}${query ?? ''}`;
}

/**
 * Escapes the percent signs of a path that cannot be decoded, so that its route is found and access is checked first.
 * Express would respond 400 while it looks for the route, also to a caller without a key.
 */
function escapeMalformedPath(request: IncomingMessage): void {
  const [path = '', ...query] = (request.url ?? '').split('?');
  if (!path.includes('%') || decoded(path) !== undefined) return;
  malformedPaths.add(request);
  request.url = [path.replaceAll('%', '%25'), ...query].join('?');
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function problemOf(request: Request): string | undefined {
  if (unreadableTargets.has(request)) return 'The target is no URL';
  return repeatedHeader(request) ?? hostProblem(request) ?? framingProblem(request);
}

function repeatedHeader({ rawHeaders }: Request): string | undefined {
  const seen = new Set<string>();
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (singularHeaders.has(name) && seen.has(name)) return `The ${name} header may be sent only once`;
    seen.add(name);
  }
  return undefined;
}

function hostProblem({ headers, httpVersion }: Request): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The host header is missing' : undefined;
  return hostPattern.test(headers.host) ? undefined : 'The host header is malformed';
}

/** Older software on the way would find another end of such a body (RFC 9112, 6.1). */
function framingProblem({ headers, httpVersion }: Request): string | undefined {
  const isOlder = httpVersion !== '1.1' && headers['transfer-encoding'] !== undefined;
  return isOlder ? 'The transfer-encoding header needs HTTP/1.1' : undefined;
}
