import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** What every answer says to those who might keep it or guess its type, also one that no application has seen. */
export const alwaysSent = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** The rest that browsers are told, for the page that shows the document. */
const toBrowsers = headersOf(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
const always = Object.entries(alwaysSent);

/** What a middleware writes on every answer, whatever is asked: asked once, not for each request. */
function headersOf(middleware: ReturnType<typeof helmet>): readonly (readonly [name: string, value: string])[] {
  const headers = new Map<string, string>();
  const answer = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  middleware({} as IncomingMessage, answer as unknown as ServerResponse, (fault?: unknown) => {
    if (fault !== undefined) throw fault as Error;
  });
  return [...headers];
}

/** Puts what browsers are told on the answer. */
export function browserHeaders(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  for (const [name, value] of toBrowsers) response.setHeader(name, value);
  next();
}

/** Puts what every answer says on this one: whatever it becomes, it is one caller's own. */
export function sendAlways(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  for (const [name, value] of always) response.setHeader(name, value);
  next();
}
