import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const unreadable = new WeakSet<IncomingMessage>();
const malformedPaths = new WeakSet<IncomingMessage>();

/** Prepares each request for Express, before it gets to see it. */
export function prepareRequests(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    shortenTarget(request);
    escapeMalformedPath(request);
    // We speak no other protocol, and Node's parser loses what was sent behind such a wish: nobody shall wait for it.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
  });
}

/** True where the target is in absolute form and no URL. */
export function hasUnreadableTarget(request: IncomingMessage): boolean {
  return unreadable.has(request);
}

/**
 * Makes a path of a target in absolute form (RFC 9112, 3.2.2), as proxies send it. One that it cannot read Express
 * would answer by itself: in HTML, past everything that every answer goes through.
 */
function shortenTarget(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/') || url.startsWith('*')) return;
  const [, path, query] = /^https?:\/\/[^/?#]+(\/[^?#]*)?(\?[^#]*)?/i.exec(url) ?? [];
  if (!URL.canParse(url)) unreadable.add(request);
  request.url = `${path ?? '/'}${query ?? ''}`;
}

/** True where the path has a percent sign that begins no escape, or escapes that are not UTF-8. */
export function hasMalformedPath(request: IncomingMessage): boolean {
  return malformedPaths.has(request);
}

/**
 * Escapes the percent signs of a path that cannot be decoded, so that its route is found and access is checked first.
 * Express would answer 400 while it looks for the route, also to a caller without a key.
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
