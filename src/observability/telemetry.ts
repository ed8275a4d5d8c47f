import { setTimeout as sleep } from 'node:timers/promises';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from 'pino';
import type { TelemetryOptions } from '../config/configuration.js';
import { build } from '../config/package.js';
import { createLogger, LogOutput } from './logger.js';
import type { Metrics } from './metrics.js';
import { LogSender, maxPendingLines } from './otlp-logs.js';
import { RegistryProducer } from './otlp-metrics.js';
import { toLogFields } from './tracing.js';

/** Log lines of this time are sent together. */
const batchMilliseconds = 200;
const maxFlushMilliseconds = 2_000;
/** Node's longest timer: log lines are sent again until the collector accepts or rejects them. */
const noTimeout = 2 ** 31 - 1;

/**
 * Starts OpenTelemetry's SDK, which reads its variables itself, and sends JSON over HTTP. Outages of the collector are
 * reported on standard error. Import this module only if it is used, as it loads OpenTelemetry.
 */
export function startTelemetry(options: TelemetryOptions) {
  const logger = createLogger('info', new LogOutput(process.stderr));
  const source = { 'service.version': build.version, 'vcs.ref.head.revision': build.commit };
  const resource = resourceFromAttributes({ 'service.name': options.serviceName, ...source });
  const producer = new RegistryProducer();
  const output = options.logs ? new LogSender(reportOutages(new OTLPLogExporter(), 'log lines', logger)) : undefined;
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resource),
    resourceDetectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector],
    ...(options.traces && { traceExporter: reportOutages(new OTLPTraceExporter(), 'spans', logger) }),
    metricReaders: options.metrics
      ? [
          new PeriodicExportingMetricReader({
            exporter: reportOutages(new OTLPMetricExporter(), 'metrics', logger),
            exportIntervalMillis: options.metricsInterval,
            metricProducers: [producer],
          }),
        ]
      : [],
    logRecordProcessors: output
      ? [
          new BatchLogRecordProcessor({
            exporter: output.exporter,
            ...{
              maxQueueSize: maxPendingLines,
              scheduledDelayMillis: batchMilliseconds,
              exportTimeoutMillis: noTimeout,
            },
          }),
        ]
      : [],
  });
  sdk.start();
  return {
    /** Where log lines go; undefined if they are not sent. */
    output,
    /** Returns the fields of all log lines. */
    lineFields: options.traces ? () => toLogFields() : undefined,
    /** Sends these metrics in intervals, unless they are served. */
    sendMetrics: (metrics: Metrics) => {
      if (!options.metrics) return;
      metrics.measureProcess();
      producer.registry = metrics.registry;
    },
    /** Sends what is left within 2 s; never fails. */
    end: () => Promise.race([sdk.shutdown().catch(() => undefined), sleep(maxFlushMilliseconds)]),
  };
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Makes an exporter log once when the collector stops accepting what it sends, and once when it resumes. */
export function reportOutages<Items, Each extends Exporter<Items>>(exporter: Each, what: string, logger: Logger): Each {
  const send = exporter.export.bind(exporter);
  let isAccepting = true;
  exporter.export = (items, done) =>
    send(items, (result) => {
      const wasAccepting = isAccepting;
      isAccepting = result.code === ExportResultCode.SUCCESS;
      const reason = result.error?.message;
      if (wasAccepting && !isAccepting) logger.warn({ reason }, `The collector does not accept ${what}`);
      if (!wasAccepting && isAccepting) logger.info(`The collector accepts ${what} again`);
      done(result);
    });
  return exporter;
}
