import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../metrics/metrics.js';
import type { ServedRequest } from './served-request.js';

/** Counts and times every request, by the pattern of its route. */
export function requestMetrics(metrics: Metrics) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const begun = performance.now();
    metrics.requestBegan();
    response.once('close', () => {
      const served = request as ServedRequest;
      const route = (served.route as { path?: unknown } | undefined)?.path;
      metrics.requestEnded({
        method: request.method ?? '',
        route: typeof route === 'string' ? route : undefined,
        status: response.writableFinished ? response.statusCode : 'aborted',
        seconds: (performance.now() - begun) / 1_000,
        error: served.refusal,
      });
    });
    next();
  };
}
