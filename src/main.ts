import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, prepareDatabase } from './app.js';
import { createLogger } from './common/logging/logger.js';
import { LogOutput } from './common/logging/log-output.js';
import { readConfiguration } from './config/configuration.js';
import { fail } from './config/fail.js';
import { StartError } from './config/start-error.js';
import { DatabaseService } from './database/database.service.js';
import { databaseUriFault } from './database/database-uri.js';
import { addressForPeople, welcomeText } from './demo/welcome.js';
import { Readiness } from './health/readiness.js';
import { type EndOnFault, endOnFaults } from './lifecycle/end-on-faults.js';
import { listen } from './lifecycle/listen.js';
import { stopApplication } from './lifecycle/stop-application.js';
import { stopOnSignals } from './lifecycle/stop-on-signals.js';

/** Starts the server: reads the configuration, listens, waits for the database, and stops in order on a signal. */
async function main(): Promise<void> {
  const configuration = readConfiguration({ MONGODB_URI: databaseUriFault });
  const output = LogOutput.toStandardOutput();
  const logger = createLogger(configuration.logLevel, output);
  const endOnFault = endOnFaults(logger, output);
  let app: NestExpressApplication | undefined;
  const delay = configuration.stopDelayMilliseconds;
  const stopping = stopOnSignals({
    logger,
    output,
    delay,
    stop: async (tell) => app && stopApplication(app, delay, tell),
  });
  try {
    app = await createApp(configuration, logger);
    void app.get(DatabaseService).embeddedLost.then(endOnFault);
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

/** What people can mend is told to them in plain words, all else is a fault. */
function endStart(error: unknown, endOnFault: EndOnFault): void {
  if (error instanceof StartError) fail(error);
  endOnFault(error);
}

main().catch(fail);
