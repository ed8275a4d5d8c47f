import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { routePattern, type ServedRequest } from '../http/served-request.js';

/**
 * Writes a line for each answered request: never a body, a query value or a header. Those that were refused before anything
 * was done for them are told by their number elsewhere: their lines would cost more than their refusals.
 */
export function requestLog(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const served = request as ServedRequest;
    response.once('close', () => {
      logger.info(
        {
          requestId: served.requestId,
          otelTraceId: served.otelTraceId,
          method: request.method,
          route: routePattern(served),
          status: response.statusCode,
          milliseconds: performance.now() - served.arrivedAt,
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
