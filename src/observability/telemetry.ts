import { setTimeout as sleep } from 'node:timers/promises';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  defaultResource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from 'pino';
import type { TelemetryOptions } from '../config/configuration.js';
import { build } from '../config/package.js';
import { createLogger, LogOutput } from './logger.js';
import type { Metrics } from './metrics.js';
import { collectorOutput } from './otlp-logs.js';
import { RegistryProducer } from './otlp-metrics.js';
import { toLogFields } from './tracing.js';

const maxFlushMilliseconds = 2_000;
const reportMilliseconds = 60_000;

/**
 * Starts OpenTelemetry's SDK, which reads its variables itself. Reports on standard error what the collector does not accept.
 * Import this module only if it is used, as it loads OpenTelemetry.
 */
export function startTelemetry({ serviceName, traces, metrics, metricsInterval, logs }: TelemetryOptions) {
  reportErrors(createLogger('info', new LogOutput(process.stderr)));
  const source = { 'service.version': build.version, 'vcs.ref.head.revision': build.commit };
  const resource = resourceFromAttributes({ 'service.name': serviceName, ...source });
  const producer = new RegistryProducer();
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resource),
    resourceDetectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector],
    metricReaders: metrics
      ? [
          new PeriodicExportingMetricReader({
            exporter: new OTLPMetricExporter(),
            exportIntervalMillis: metricsInterval,
            metricProducers: [producer],
          }),
        ]
      : [],
    ...(!logs && { logRecordProcessors: [] }),
  });
  sdk.start();
  return {
    /** Where log lines go; undefined if they are not sent. */
    output: logs ? collectorOutput : undefined,
    /** Returns the fields of all log lines. */
    lineFields: traces ? () => toLogFields() : undefined,
    /** Sends these metrics in intervals, unless they are served. */
    sendMetrics: (measured: Metrics) => {
      if (!metrics) return;
      measured.measureProcess();
      producer.registry = measured.registry;
    },
    /** Sends what is left within 2 s; never fails. */
    end: () => Promise.race([sdk.shutdown().catch(() => undefined), sleep(maxFlushMilliseconds)]),
  };
}

/** Reports what is lost because the collector does not accept it, at most once per minute. */
function reportErrors(logger: Logger): void {
  let reportedAt = -reportMilliseconds;
  setGlobalErrorHandler((error) => {
    if (performance.now() - reportedAt < reportMilliseconds) return;
    reportedAt = performance.now();
    logger.warn({ err: error }, 'The collector does not accept all traces, metrics or log lines');
  });
}
