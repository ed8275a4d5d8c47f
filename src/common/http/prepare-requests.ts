import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const unreadable = new WeakSet<IncomingMessage>();

/** Prepares each request for Express, before it gets to see it. */
export function prepareRequests(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    shortenTarget(request);
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
