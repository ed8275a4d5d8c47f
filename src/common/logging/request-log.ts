import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { isHealthCheck, routePattern, type ServedRequest } from '../http/served-request.js';

/**
 * Logs each request, health checks at level debug: never a body, a query value or a header. Rejections for overload are
 * counted elsewhere, as a line for each would add to the load.
 */
export function requestLog(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const served = request as ServedRequest;
    response.once('close', () => {
      if (served.refusal === errorCatalogue.overloaded.code) return;
      const level = isHealthCheck(request.url ?? '') ? 'debug' : 'info';
      logger[level](
        {
          requestId: served.requestId,
          otelTraceId: served.otelTraceId,
          method: request.method,
          route: routePattern(served),
          status: response.statusCode,
          milliseconds: Math.round((performance.now() - served.arrivedAt) * 10) / 10,
          apiKeyId: served.integrationContext?.apiKey.id,
          organizationId: served.integrationContext?.organization.id,
          userId: served.adminContext?.user.id,
          ...(served.refusal !== undefined && { operation: served.operation, error: served.refusal }),
          ...(!response.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}
