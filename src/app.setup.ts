import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import querystring from 'node:querystring';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { connectionLimits, handleClientErrors } from './http/client-errors.js';
import { isProxy } from './http/client-address.js';
import { enableCors } from './http/cors.js';
import { deadline } from './http/deadline.middleware.js';
import { OpenConnections } from './http/open-connections.js';
import { normalizeRequestTargets, rejectAmbiguousHead, requestId, securityHeaders } from './http/request-head.js';
import { PinoLoggerService, requestLog } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { type Configuration, StartError } from './config/configuration.js';
import { ClockOffset } from './database/clock-offset.js';
import { DatabaseService } from './database/database.service.js';
import { runMigrations } from './database/migrations/run-migrations.js';
import { ChangeStreamService } from './database/change-stream.service.js';
import type { DemoAccess } from './dev/demo/welcome.js';
import { ApiKeysService } from './modules/api-keys/api-keys.service.js';
import { OrganizationEraser } from './modules/erasure/organization-eraser.js';
import { GameUpdater } from './modules/schedules/game-updater.js';
import { WebhookWorker } from './modules/webhooks/webhook-worker.js';
import { ChangesProjector } from './modules/changes/changes.projector.js';
import { Readiness } from './modules/health/readiness.js';
import { Pages } from './http/pages.js';
import { FailedRequests } from './modules/usage/failed-requests.service.js';
import { UsageService } from './modules/usage/usage.service.js';
import { OverloadMiddleware } from './overload/overload.middleware.js';
import { StrangerConnections } from './overload/stranger-connections.js';
import { SecondFactorService } from './modules/users/second-factor.service.js';
import { UsersService } from './modules/users/users.service.js';

/** Connections that the system keeps until they are accepted: Node's default of 511 is full after one burst. */
const maxPendingConnections = 4_096;

/** Creates the application with everything a request passes before Nest's guards, which are in `app.module.ts`. */
export async function createApp(configuration: Configuration, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(configuration), {
    bodyParser: false,
    logger: new PinoLoggerService(logger),
    abortOnError: false,
  });
  const connections = app.get(OpenConnections);
  const metrics = app.get(Metrics);

  // Node's HTTP server: before Express sees a request
  const server = app.getHttpServer();
  connections.follow(server);
  Object.assign(server, connectionLimits);
  normalizeRequestTargets(server);
  handleClientErrors(server, connections, () => metrics.malformedRequests.inc());

  // Express settings
  app.set('trust proxy', configuration.trustProxy);
  app.get(StrangerConnections).follow(server, (address) => isProxy(app.getHttpAdapter().getInstance(), address));
  app.set('etag', false);
  app.disable('x-powered-by');
  // The default parser silently drops parameters beyond a count; the header size limits them instead.
  app.set('query parser', (text: string) => querystring.parse(text, '&', '=', { maxKeys: 0 }));

  // Middleware, in order
  app.use(connections.track);
  app.use(requestId(configuration));
  app.use(metrics.measureRequests(app.get(UsageService).record, app.get(FailedRequests).record));
  app.use(requestLog(logger));
  app.use(securityHeaders());
  app.use(rejectAmbiguousHead);
  enableCors(app, configuration.corsOrigins);
  if (configuration.telemetry?.traces) {
    // OpenTelemetry is only loaded if it is used.
    const { tracer, traceRequests } = await import('./observability/tracing.js');
    const { traceOperations } = await import('./database/operation-spans.js');
    traceOperations(tracer);
    app.use(traceRequests(tracer));
  }
  const overload = app.get(OverloadMiddleware);
  app.use(overload.takeTurn);
  // Served before the overload limit, because a slow reader would occupy a slot.
  app.get(Pages).serve(app, configuration);
  app.use(overload.use);
  app.use(deadline);
  return app;
}

/**
 * Starts the application and listens. Replaces `app.listen`, which would also log the error with a stack trace.
 * @param port 0 for any free port
 * @returns the URL of the address
 * @throws StartError if the address cannot be used
 */
export async function listen(app: NestExpressApplication, host: string, port: number): Promise<string> {
  await app.init();
  const server = app.getHttpServer();
  const listening = once(server, 'listening');
  server.listen(port, host, maxPendingConnections);
  await listening.catch((error: unknown) => {
    throw new StartError(reasonOf(error as NodeJS.ErrnoException, host, port), { cause: error });
  });
  const bound = server.address() as AddressInfo;
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

function reasonOf({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use. Set PORT to another port.`;
  return `Cannot listen on port ${port} of ${host}: ${message}. Check PORT and HOST.`;
}

/**
 * Connects to the database and creates what the server needs: indexes, migrations, the first super admin, and demo data in an
 * embedded database. Also starts the work in the background.
 * @param url where the server listens
 * @returns the demo credentials; undefined if the database is not embedded
 */
export async function prepareDatabase(
  app: NestExpressApplication,
  configuration: Configuration,
  uri: string,
  url: string,
): Promise<DemoAccess | undefined> {
  const database = app.get(DatabaseService);
  const readiness = app.get(Readiness);
  await database.open(uri);
  if (configuration.database.ensureIndexes) {
    await database.retryUntilReachable(() => database.ensureIndexes());
    await database.retryUntilReachable(() => runMigrations(database));
  }
  readiness.markDone('the indexes and migrations');
  await database.retryUntilReachable(() => app.get(ApiKeysService).warnOfOtherPrefixes());
  app.get(ChangeStreamService).start();
  app.get(ChangesProjector).start();
  app.get(WebhookWorker).start();
  app.get(OrganizationEraser).start();
  app.get(GameUpdater).start();
  app.get(ClockOffset).start();
  const isEmbedded = configuration.database.uri === undefined;
  const demo = isEmbedded ? new (await import('./dev/demo/demo.service.js')).DemoService(app) : undefined;
  const superAdmin = demo ? await demo.superAdminLogin() : configuration.superAdmin;
  await database.retryUntilReachable(() => app.get(UsersService).ensureSuperAdmin(superAdmin));
  readiness.markDone('the first super admin');
  await database.retryUntilReachable(() => app.get(SecondFactorService).updateEncryption());
  const access = await demo?.prepare(url);
  if (access?.demo) app.get(Pages).useDemo(access.demo);
  return access;
}
