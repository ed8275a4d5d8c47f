import { readConfiguration } from './config/configuration.js';
import { fail } from './config/fail.js';
import { createApp, prepareDatabase, stopApp } from './app.js';
import { createLogger, writeForPeople } from './common/logging/logger.js';
import { addressForPeople, welcomeText } from './demo/welcome.js';
import { databaseUriFault } from './database/database-uri.js';
import { MetricsServer } from './health/metrics-server.js';
import { Readiness } from './health/readiness.js';

const longestStop = 10_000;

/** Starts the server: reads the configuration, listens, waits for the database, and stops in order on a signal. */
async function main(): Promise<void> {
  const configuration = readConfiguration({ MONGODB_URI: databaseUriFault });
  const logger = createLogger(configuration.logLevel);
  const app = await createApp(configuration, logger);

  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    // A second signal ends at once.
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
    logger.info({ signal }, 'Stopping');
    setTimeout(() => app.getHttpServer().closeAllConnections(), longestStop).unref();
    stopApp(app).then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  await app.get(MetricsServer).start();
  await app.listen(configuration.port, configuration.host);
  const demo = await prepareDatabase(app, configuration).catch((error: unknown) => {
    // Told to stop meanwhile: the database was closed below what was being prepared.
    if (!stopping.signal.aborted) throw error;
  });
  if (stopping.signal.aborted) return;
  app.get(Readiness).started();
  const address = await app.getUrl();
  logger.info({ address }, 'Ready');
  // For people, and for nobody's log collection: it holds the demo's secrets.
  if (demo) writeForPeople(logger, welcomeText(addressForPeople(address, configuration.host), demo));
}

process.on('unhandledRejection', fail);
main().catch(fail);
