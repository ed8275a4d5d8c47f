import type { NextFunction, Request, Response } from 'express';
import type { Metrics } from '../metrics/metrics.js';
import type { ServedRequest } from './served-request.js';

/** Counts and times every request, by the pattern of its route. */
export function requestMetrics(metrics: Metrics) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    metrics.requestBegan();
    response.once('close', () => {
      const route = (request.route as { path?: unknown } | undefined)?.path;
      metrics.requestEnded({
        method: request.method,
        route: typeof route === 'string' ? route : undefined,
        status: response.writableFinished ? response.statusCode : 'aborted',
        seconds: (performance.now() - begun) / 1_000,
        error: (request as ServedRequest).refusal,
      });
    });
    next();
  };
}
