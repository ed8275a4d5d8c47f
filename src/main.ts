import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, listen, prepareDatabase } from './app.setup.js';
import { createLogger, LogOutput } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { build } from './config/package.js';
import { exitWithError, readConfiguration, StartError } from './config/configuration.js';
import { databaseUriProblem } from './database/connection-options.js';
import { MetricsServer } from './modules/health/metrics-server.js';
import { Readiness } from './modules/health/readiness.js';
import { type MongodbServer, startMongodb } from './lifecycle/start-mongodb.js';
import { handleProcessEnd, type OnStopStep, stopApplication } from './lifecycle/stop.js';
import type { Tracing } from './observability/tracing.js';

/** Starts the server and shuts it down gracefully on SIGTERM or SIGINT. */
async function bootstrap(): Promise<void> {
  const configuration = readConfiguration(databaseUriProblem);
  const { host, port, logLevel, stopDelayMilliseconds: delay } = configuration;
  let app: NestExpressApplication | undefined;
  let mongodb: Promise<MongodbServer> | undefined;
  let tracing: Tracing | undefined;
  const output = new LogOutput();
  const logger = createLogger(logLevel, output, configuration.tracing && (() => tracing?.lineContext() ?? {}));
  const stop = async (onStep: OnStopStep): Promise<void> => {
    if (app) await stopApplication(app, delay, onStep);
    onStep('the embedded database');
    await (await mongodb?.catch(() => undefined))?.stop();
    onStep('the trace collector');
    await tracing?.end();
  };
  const stopping = handleProcessEnd({ logger, output, delay, stop });

  try {
    if (configuration.tracing) {
      // OpenTelemetry is only loaded if it is used.
      const { startTracing } = await import('./observability/tracing.js');
      tracing = startTracing(configuration.tracing, logger);
    }
    app = await createApp(configuration, logger, tracing);
    app.get(Metrics).registerDroppedLines(() => output.droppedLines);
    await app.get(MetricsServer).start();
    const address = await listen(app, host, port);
    mongodb = startMongodb(configuration, stopping);
    const demo = await prepareDatabase(app, configuration, (await mongodb).uri);
    if (stopping.aborted) return;
    app.get(Readiness).markStarted();
    logger.info({ address, ...build }, 'Ready');
    if (demo) {
      const { browserUrl, welcomeText } = await import('./dev/demo/welcome.js');
      // Bypasses the logger, because the demo credentials must not get into logs.
      output.write(welcomeText(browserUrl(address, host), demo, process.stdout));
    }
  } catch (error) {
    // During a shutdown the start fails, because its resources are being closed.
    if (!stopping.aborted) throw error;
  }
}

bootstrap().catch((error: unknown) => {
  if (error instanceof StartError) exitWithError(error);
  throw error; // handled as an unhandled error
});
