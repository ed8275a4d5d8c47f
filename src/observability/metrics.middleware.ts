import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from '../http/api-request.js';
import { routePattern } from '../http/request-head.js';
import type { Metrics } from './metrics.js';

/** Methods with their own label value; all others are counted as `other`. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Route label of requests with an unknown path or method, and of those rejected before routing. */
const unknownRoute = 'unknown';

/**
 * Creates the middleware that counts and times requests by route pattern.
 * @param onKeyRequest called after each request with a valid API key
 */
export function measureRequest(
  metrics: Metrics,
  onKeyRequest: (organizationId: string, status: number, errorCode: number | undefined) => void,
) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const measured = request as ApiRequest;
    metrics.requestsInFlight++;
    response.once('close', () => {
      metrics.requestsInFlight--;
      const route = routePattern(measured) ?? unknownRoute;
      const method = methods.has(request.method ?? '') ? (request.method ?? '') : 'other';
      const status = response.writableFinished ? String(response.statusCode) : 'aborted';
      const seconds = (performance.now() - measured.arrivedAt) / 1_000;
      metrics.recordRequest({ route, method, status }, seconds, measured.errorCode);
      const { knownKey, errorCode } = measured;
      if (knownKey) onKeyRequest(knownKey.organizationId, response.statusCode, errorCode);
    });
    next();
  };
}
