import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { createApp, prepareDatabase } from './app.setup.js';
import { createLogger } from './common/logging/logger.js';
import { LogOutput } from './common/logging/log-output.js';
import { Metrics } from './common/metrics/metrics.js';
import { type Configuration, readConfiguration } from './config/configuration.js';
import { fail } from './config/fail.js';
import { StartError } from './config/start-error.js';
import { DatabaseService } from './database/database.service.js';
import { databaseUriFault } from './database/database-uri.js';
import { addressForPeople, welcomeText } from './demo/welcome.js';
import { MetricsServer } from './health/metrics-server.js';
import { Readiness } from './health/readiness.js';
import { type EndOnFault, endOnFaults } from './lifecycle/end-on-faults.js';
import { listen } from './lifecycle/listen.js';
import { stopApplication } from './lifecycle/stop-application.js';
import { stopOnSignals } from './lifecycle/stop-on-signals.js';
import type { Tracing } from './tracing/tracing.js';

/** Starts the server: reads the configuration, listens, waits for the database, and stops in order on a signal. */
async function main(): Promise<void> {
  const configuration = readConfiguration({ MONGODB_URI: databaseUriFault });
  const output = LogOutput.toStandardOutput();
  let tracing: Tracing | undefined;
  const logger = createLogger(
    configuration.logLevel,
    output,
    configuration.tracing && (() => tracing?.lineContext() ?? {}),
  );
  const endOnFault = endOnFaults(logger, output);
  let app: NestExpressApplication | undefined;
  const delay = configuration.stopDelayMilliseconds;
  const stopping = stopOnSignals({
    logger,
    output,
    delay,
    stop: async (tell) => {
      try {
        if (app) await stopApplication(app, delay, tell);
      } finally {
        tell('the collector of traces');
        await tracing?.end();
      }
    },
  });
  try {
    tracing = await loadTracing(configuration, logger);
    app = await createApp(configuration, logger, tracing);
    void app.get(DatabaseService).embeddedLost.then(endOnFault);
    app.get(Metrics).registerDroppedLines(() => output.droppedLines);
    await app.get(MetricsServer).start();
    const address = await listen(app, configuration.host, configuration.port);
    const demo = await prepareDatabase(app, configuration);
    if (stopping.aborted) return;
    app.get(Readiness).started();
    logger.info({ address }, 'Ready');
    // For people, and for nobody's log collection: it holds the demo's secrets. Below the lines that were logged before it.
    if (demo) output.write(welcomeText(addressForPeople(address, configuration.host), demo));
  } catch (error) {
    // Told to stop meanwhile: what the start needed was closed below it.
    if (!stopping.aborted) endStart(error, endOnFault);
  }
}

/** Nothing of OpenTelemetry is loaded where nothing is traced. */
async function loadTracing({ tracing }: Configuration, logger: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { startTracing } = await import('./tracing/tracing.js');
  const told = (takes: boolean, reason?: string) => {
    if (takes) logger.info('The collector takes traces again');
    else logger.warn({ reason }, 'The collector does not take traces: they are lost');
  };
  return startTracing({ ...tracing, told });
}

/** What people can mend is told to them in plain words, all else is a fault. */
function endStart(error: unknown, endOnFault: EndOnFault): void {
  if (error instanceof StartError) fail(error);
  endOnFault(error);
}

main().catch(fail);
