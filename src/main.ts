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
import { type MongodbServer, startMongodb } from './lifecycle/start-mongodb.js';
import { handleProcessEnd, type OnStopStep, stopApplication } from './lifecycle/stop.js';
import type { Tracing } from './observability/tracing.js';

/** Starts the server and shuts it down gracefully on SIGTERM or SIGINT. */
async function bootstrap(): Promise<void> {
  const configuration = readConfiguration(databaseUriProblem);
  const { host, port, logLevel, stopDelayMilliseconds: delay, otlp } = configuration;
  let app: NestExpressApplication | undefined;
  let mongodb: Promise<MongodbServer> | undefined;
  let tracing: Tracing | undefined;
  let sendLastMetrics: (() => Promise<void>) | undefined;
  // OpenTelemetry is only loaded if it is used.
  const output = new LogOutput(otlp.logs && (await import('./observability/otlp-logs.js')).createLogStream(otlp.logs));
  const logger = createLogger(logLevel, output, otlp.traces && (() => tracing?.lineContext() ?? {}));
  const unknown = unknownVariables();
  if (unknown.length > 0) logger.warn(`Variables without effect, perhaps misspelled: ${unknown.join(', ')}`);
  const stop = async (onStep: OnStopStep): Promise<void> => {
    if (app) await stopApplication(app, delay, onStep);
    onStep('the embedded database');
    await (await mongodb?.catch(() => undefined))?.stop();
    onStep('the collector');
    await Promise.all([tracing?.end(), sendLastMetrics?.()]);
  };
  const stopping = handleProcessEnd({ logger, output, delay, stop });

  try {
    if (otlp.traces) tracing = (await import('./observability/tracing.js')).startTracing(otlp.traces, logger);
    app = await createApp(configuration, logger, tracing);
    app.get(Metrics).registerDroppedLines(() => output.droppedLines);
    await app.get(MetricsServer).start();
    if (otlp.metrics) {
      const { startMetrics } = await import('./observability/otlp-metrics.js');
      sendLastMetrics = startMetrics(otlp.metrics, app.get(Metrics), logger);
    }
    const url = await listen(app, host, port);
    mongodb = startMongodb(configuration, stopping);
    const demo = await prepareDatabase(app, configuration, (await mongodb).uri);
    if (stopping.aborted) return;
    app.get(Readiness).markStarted();
    logger.info({ url, ...build }, 'Ready');
    if (demo) {
      const { browserUrl, welcomeText } = await import('./dev/demo/welcome.js');
      // Bypasses the logger, because the demo credentials must not get into logs.
      new LogOutput().write(welcomeText(browserUrl(url, host), demo, process.stdout));
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
