import querystring from 'node:querystring';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { KeyMemory } from './api-keys/key-memory.js';
import { AppModule } from './app.module.js';
import { demandHost, takeOverNodesRefusals } from './common/http/broken-requests.js';
import { OpenResponses } from './common/http/open-responses.js';
import { deadline } from './common/http/deadline.js';
import { requestId } from './common/http/request-id.js';
import { PinoLoggerService } from './common/logging/logger.js';
import { requestLog } from './common/logging/request-log.js';
import type { Configuration } from './config/configuration.js';
import { DatabaseService } from './database/database.service.js';
import { DemoService } from './demo/demo.service.js';
import type { DemoAccess } from './demo/welcome.js';
import { Readiness } from './health/readiness.js';
import { serveDocuments } from './openapi/serve-documents.js';
import { SuperAdminsService } from './users/super-admins.service.js';

/** How long a client may take for its headers, and for the whole request, in milliseconds. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;

/** The application, configured and not started. */
export async function createApp(configuration: Configuration, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(configuration), {
    bodyParser: false,
    logger: new PinoLoggerService(logger),
    abortOnError: false,
  });
  configureApp(app, configuration, logger);
  return app;
}

/** What belongs to the way of a request before Nest's part of it begins. */
function configureApp(app: NestExpressApplication, configuration: Configuration, logger: Logger): void {
  app.set('trust proxy', configuration.trustProxy);
  app.set('etag', false);
  // Without a bound of its own, which would drop what lies beyond it in silence; the header's size bounds it.
  app.set('query parser', (text: string) => querystring.parse(text, '&', '=', { maxKeys: 0 }));
  app.use(
    app.get(OpenResponses).track,
    requestId,
    requestLog(logger),
    demandHost,
    deadline,
    helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }),
  );
  serveDocuments(app);
  const server = app.getHttpServer();
  server.headersTimeout = headersTimeout;
  server.requestTimeout = requestTimeout;
  takeOverNodesRefusals(server);
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
  await database.open();
  if (configuration.database.ensureIndexes) await database.patiently(() => database.ensureIndexes());
  app.get(KeyMemory).follow();
  const demo = database.isEmbedded ? app.get(DemoService) : undefined;
  const superAdmin = demo ? await demo.superAdminLogin() : configuration.superAdmin;
  await database.patiently(() => app.get(SuperAdminsService).ensureFirst(superAdmin));
  return demo?.prepare();
}

/** Stops in order: no new requests, those that run end, what is buffered is written, the database closes. */
export async function stopApp(app: NestExpressApplication): Promise<void> {
  app.get(Readiness).stopping();
  const server = app.getHttpServer();
  // Connections that are kept alive end with their next answer, or as soon as they have none under way.
  app.get(OpenResponses).endConnections();
  const sweeping = setInterval(() => server.closeIdleConnections(), 100);
  await app.close().finally(() => clearInterval(sweeping));
  await app.get(DatabaseService).close();
}
