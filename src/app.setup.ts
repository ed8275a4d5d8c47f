import querystring from 'node:querystring';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { handleClientErrors } from './common/http/broken-requests.js';
import { limitConnections } from './common/http/connection-limits.js';
import { allowOrigins } from './common/http/cors.js';
import { deadline } from './common/http/deadline.js';
import { OpenConnections } from './common/http/open-connections.js';
import { normalizeRequestTargets, rejectAmbiguousHead } from './common/http/request-head.js';
import { noStore, requestId } from './common/http/request-id.js';
import { PinoLoggerService } from './common/logging/logger.js';
import { requestLog } from './common/logging/request-log.js';
import { Metrics } from './common/metrics/metrics.js';
import type { Configuration } from './common/config/configuration.js';
import { ClockOffset } from './database/clock-offset.js';
import { DatabaseService } from './database/database.service.js';
import { ChangeStreamService } from './database/change-stream.service.js';
import type { DemoAccess } from './dev/demo/welcome.js';
import { Readiness } from './modules/health/readiness.js';
import { serveDocuments } from './common/openapi/serve-documents.js';
import { OverloadMiddleware } from './platform/overload.middleware.js';
import type { Tracing } from './platform/tracing.js';
import { SuperAdminsService } from './modules/users/super-admins.service.js';

/**
 * The application, configured and not started.
 * @param tracing undefined where nothing is traced
 */
export async function createApp(
  configuration: Configuration,
  logger: Logger,
  tracing?: Tracing,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(configuration), {
    bodyParser: false,
    logger: new PinoLoggerService(logger),
    abortOnError: false,
  });
  if (tracing) app.get(DatabaseService).traceCommands(tracing.commands);
  configureApp(app, configuration, logger, tracing);
  return app;
}

/** What belongs to the way of a request before Nest's part of it begins. */
function configureApp(
  app: NestExpressApplication,
  configuration: Configuration,
  logger: Logger,
  tracing: Tracing | undefined,
): void {
  app.set('trust proxy', configuration.trustProxy);
  app.set('etag', false);
  app.disable('x-powered-by');
  // Without a bound of its own, which would drop what lies beyond it in silence; the header's size bounds it.
  app.set('query parser', (text: string) => querystring.parse(text, '&', '=', { maxKeys: 0 }));
  const connections = app.get(OpenConnections);
  const metrics = app.get(Metrics);
  app.use(
    connections.track,
    metrics.measureRequest,
    requestId(configuration.liveKeyPrefix),
    requestLog(logger),
    helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }),
    noStore,
    rejectAmbiguousHead,
  );
  allowOrigins(app, configuration.corsOrigins);
  if (tracing) app.use(tracing.requests);
  // Served from memory, without a place: a client that reads them slowly would hold it.
  serveDocuments(app);
  app.use(app.get(OverloadMiddleware).use, deadline);
  const server = app.getHttpServer();
  connections.follow(server);
  limitConnections(server);
  normalizeRequestTargets(server);
  handleClientErrors(server, connections, metrics.malformedRequest);
}

/**
 * What must be there before the server is ready: the database, its indexes, the first super admin, and in an embedded
 * database the demo data.
 * @returns how people get into the demo; undefined where the database is not embedded
 */
export async function prepareDatabase(
  app: NestExpressApplication,
  configuration: Configuration,
): Promise<DemoAccess | undefined> {
  const database = app.get(DatabaseService);
  const readiness = app.get(Readiness);
  await database.open();
  if (configuration.database.ensureIndexes) await database.retryUntilReachable(() => database.ensureIndexes());
  readiness.markDone('the indexes');
  app.get(ChangeStreamService).start();
  app.get(ClockOffset).start();
  const demo = database.isEmbedded ? app.get((await import('./dev/demo/demo.service.js')).DemoService) : undefined;
  const superAdmin = demo ? await demo.superAdminLogin() : configuration.superAdmin;
  await database.retryUntilReachable(() => app.get(SuperAdminsService).ensureFirst(superAdmin));
  readiness.markDone('the first super admin');
  return demo?.prepare();
}
