import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { clientAddress } from '../http/client-address.js';
import type { ApiRequest } from '../http/api-request.js';
import { isHealthCheck, routePattern } from '../http/request-head.js';

/**
 * Creates the middleware that logs each request, health checks at level debug, without bodies, query values or headers.
 * The client's address is logged only with errors.
 * Overload rejections are logged in batches elsewhere, as a line for each would add to the load.
 */
export function requestLog(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const logged = request as ApiRequest;
    response.once('close', () => {
      if (logged.errorCode === errorCatalogue.overloaded.code) return;
      const level = isHealthCheck(request.url ?? '') ? 'debug' : 'info';
      logger[level](
        {
          requestId: logged.requestId,
          otelTraceId: logged.otelTraceId,
          method: request.method,
          route: routePattern(logged),
          status: response.statusCode,
          milliseconds: Math.round((performance.now() - logged.arrivedAt) * 10) / 10,
          apiKeyId: logged.knownKey?.id,
          organizationId: logged.knownKey?.organizationId,
          userId: logged.adminContext?.user.id,
          ...(logged.errorCode !== undefined && errorFields(logged)),
          ...(!response.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

function errorFields(request: ApiRequest) {
  return { operation: request.operation, error: request.errorCode, address: clientAddress(request) || undefined };
}
