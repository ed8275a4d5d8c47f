import './config/node-version.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, listen, prepareDatabase } from './app.setup.js';
import { createLogger, LogOutput } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { build } from './config/package.js';
import { exitWithError, readConfiguration, StartError } from './config/configuration.js';
import { unknownVariables } from './config/environment.js';
import { databaseUriProblem } from './database/connection-options.js';
import { MetricsServer } from './modules/health/metrics-server.js';
import { Readiness } from './modules/health/readiness.js';
import { startMongodb } from './lifecycle/start-mongodb.js';
import { handleProcessEnd, type OnStopStep, stopApplication } from './lifecycle/stop.js';

/** Starts the server and shuts it down gracefully on SIGTERM or SIGINT. */
async function bootstrap(): Promise<void> {
  const configuration = readConfiguration(databaseUriProblem);
  const { host, port, logLevel, stopDelayMilliseconds: delay } = configuration;
  let app: NestExpressApplication | undefined;
  let mongodb: ReturnType<typeof startMongodb> | undefined;
  // OpenTelemetry is only loaded if it is used.
  const telemetry =
    configuration.telemetry && (await import('./observability/telemetry.js')).startTelemetry(configuration.telemetry);
  const standardOutput = new LogOutput();
  const logger = createLogger(logLevel, telemetry?.output ?? standardOutput, telemetry?.lineFields);
  const unknown = unknownVariables();
  if (unknown.length > 0) logger.warn(`Variables without effect, perhaps misspelled: ${unknown.join(', ')}`);
  const stop = async (onStep: OnStopStep): Promise<void> => {
    if (app) await stopApplication(app, delay, onStep);
    onStep('the embedded database');
    await (await mongodb?.catch(() => undefined))?.stop();
  };
  const flush = () => Promise.all([standardOutput.flush(), telemetry?.end()]);
  const stopping = handleProcessEnd({ logger, flush, delay, stop });

  try {
    app = await createApp(configuration, logger);
    // Of lines that the SDK drops, it does not tell.
    if (!telemetry?.output) app.get(Metrics).registerDroppedLines(() => standardOutput.droppedLines);
    await app.get(MetricsServer).start();
    telemetry?.sendMetrics(app.get(Metrics));
    const url = await listen(app, host, port);
    mongodb = startMongodb(configuration, stopping);
    const demo = await prepareDatabase(app, configuration, (await mongodb).uri, url);
    if (stopping.aborted) return;
    app.get(Readiness).markStarted();
    logger.info({ url, ...build }, 'Ready');
    if (demo) {
      const { browserUrl, welcomeText } = await import('./dev/demo/welcome.js');
      // Bypasses the logger, because the demo credentials must not get into logs.
      standardOutput.write(welcomeText(browserUrl(url, host), demo));
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
