import type { NextFunction, Request, Response } from 'express';
import { sendEnvelope } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { hasUnreadableTarget } from './prepare-requests.js';

/**
 * Headers of which one is meant. Of several Node takes the first, or strings them together, and says nothing. (The `idem-key`
 * is not among them: strung together it is malformed, which has an error of its own.)
 */
const singular: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'origin',
  'transfer-encoding',
]);

/** A name or an address, and perhaps a port (RFC 9110, 7.2); empty where the target has none. */
const host = /^(\[[\dA-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/;

/** Refuses a request whose head leaves open what is meant. */
export function demandClearHead(request: Request, response: Response, next: NextFunction): void {
  const problem = problemOf(request);
  if (problem === undefined) {
    next();
    return;
  }
  // Whoever stands between the client and us may have read it otherwise: what follows would be read wrongly, too.
  response.setHeader('Connection', 'close');
  sendEnvelope(request, response, new ServiceError(errorCatalogue.malformedRequest, { message: problem }));
}

function problemOf(request: Request): string | undefined {
  if (hasUnreadableTarget(request)) return 'The target is no URL';
  return repeatedHeader(request) ?? hostProblem(request) ?? framingProblem(request);
}

function repeatedHeader({ rawHeaders }: Request): string | undefined {
  const seen = new Set<string>();
  // Names and values take turns.
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]?.toLowerCase() ?? '';
    if (singular.has(name) && seen.has(name)) return `The ${name} header may be sent only once`;
    seen.add(name);
  }
  return undefined;
}

function hostProblem({ headers, httpVersion }: Request): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The host header is missing' : undefined;
  return host.test(headers.host) ? undefined : 'The host header is malformed';
}

/** Older software on the way would have read another end of such a body (RFC 9112, 6.1). */
function framingProblem({ headers, httpVersion }: Request): string | undefined {
  const isOlder = httpVersion !== '1.1' && headers['transfer-encoding'] !== undefined;
  return isOlder ? 'The transfer-encoding header needs HTTP/1.1' : undefined;
}
