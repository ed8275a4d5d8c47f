import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { ServedRequest } from '../http/served-request.js';

/**
 * Writes a line for each answered request: never a body, a query value or a header. Those that were turned away are told
 * by their number elsewhere: under a flood their lines would cost more than the refusals.
 */
export function requestLog(logger: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = process.hrtime.bigint();
    response.once('close', () => {
      const served = request as ServedRequest;
      if (served.isTurnedAway === true) return;
      logger.info(
        {
          requestId: served.requestId,
          method: request.method,
          route: (request.route as { path?: string } | undefined)?.path,
          status: response.statusCode,
          milliseconds: Number(process.hrtime.bigint() - begun) / 1e6,
          apiKeyId: served.integrationContext?.apiKey.id,
          organizationId: served.integrationContext?.organization.id,
          userId: served.adminContext?.user.id,
          ...(!response.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}
