import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import type { ServedRequest } from './served-request.js';

/**
 * Notes when a request came, and gives it the clock, for what answers it outside of Nest: first of all, since anything
 * may refuse it.
 */
export function requestClock(clock: Clock) {
  return (request: IncomingMessage, _response: ServerResponse, next: () => void): void => {
    Object.assign(request, { arrivedAt: performance.now(), clock } satisfies Partial<ServedRequest>);
    next();
  };
}
