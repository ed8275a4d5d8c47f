import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../metrics/metrics.js';
import { routePattern, type ServedRequest } from './served-request.js';

/** Notes when a request arrived, and counts and times it by the pattern of its route. */
export function requestMetrics(metrics: Metrics) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const served = request as ServedRequest;
    served.arrivedAt = performance.now();
    metrics.requestBegan();
    response.once('close', () => {
      metrics.requestEnded({
        method: request.method ?? '',
        route: routePattern(served),
        status: response.writableFinished ? response.statusCode : 'aborted',
        seconds: (performance.now() - served.arrivedAt) / 1_000,
        error: served.refusal,
      });
    });
    next();
  };
}
