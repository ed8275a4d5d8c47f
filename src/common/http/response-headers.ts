import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** What every answer says to those who might keep it or guess its type, also one that no application has seen. */
export const alwaysSent = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** The rest that browsers are told, for the page that shows the document. */
export const browserHeaders = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });

/** Puts what every answer says on this one: whatever it becomes, it is one caller's own. */
export function sendAlways(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  for (const [name, value] of Object.entries(alwaysSent)) response.setHeader(name, value);
  next();
}
