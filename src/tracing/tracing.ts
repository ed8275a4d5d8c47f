import { randomUUID } from 'node:crypto';
import { context, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { CommandSpans } from '../database/command-spans.js';
import { traceRequests } from './request-spans.js';

/** So many spans wait for the collector, and what comes beyond them is dropped: about 4 MB. */
const mostWaiting = 2_048;
const mostAtOnce = 512;
/** How often they are sent, and how long the collector may take, in milliseconds. */
const sendMilliseconds = 2_000;
const answerMilliseconds = 5_000;
/** How long the last ones may take when the server stops, in milliseconds. */
const longestFlush = 2_000;

/** Traces of what the server does. */
export interface Tracing {
  /** The middleware that makes a span of each request. */
  readonly requests: RequestHandler;
  readonly commands: CommandSpans;
  /** What a line of the log carries of the trace that it belongs to. */
  lineContext(): Readonly<Record<string, unknown>>;
  /** Sends what waits, in two seconds at most, and never fails. */
  end(): Promise<void>;
}

/**
 * Begins to trace. This module is loaded where that is wanted only: it brings all of OpenTelemetry. Sampling and the
 * headers for the collector are chosen by OpenTelemetry's own variables (`OTEL_TRACES_SAMPLER`, …); without them
 * every request is traced whose caller does not say otherwise.
 */
export function startTracing(
  { endpoint, serviceName }: { endpoint: string; serviceName: string },
  logger: Logger,
): Tracing {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: answerMilliseconds });
  const processor = new BatchSpanProcessor(logOutages(exporter, logger), {
    maxQueueSize: mostWaiting,
    maxExportBatchSize: mostAtOnce,
    scheduledDelayMillis: sendMilliseconds,
    exportTimeoutMillis: answerMilliseconds + 1_000,
  });
  const instance = { 'service.name': serviceName, 'service.instance.id': randomUUID() };
  const resource = defaultResource().merge(resourceFromAttributes(instance));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  provider.register();
  const tracer = provider.getTracer('flag-football-public-api');
  return {
    requests: traceRequests(tracer),
    commands: new CommandSpans(tracer),
    lineContext: () => {
      const otelTraceId = trace.getSpanContext(context.active())?.traceId;
      return otelTraceId === undefined ? {} : { otelTraceId };
    },
    end: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, longestFlush).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

/** ExportResultCode.SUCCESS of OpenTelemetry's core, which is no dependency of ours. A failure need not have an error. */
const success = 0;

/** Wraps an exporter to log once when the collector stops taking spans, which are then lost, and once when it resumes. */
export function logOutages(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isTaking = true;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const wasTaking = isTaking;
        isTaking = (result.code as number) === success;
        const reason = result.error?.message;
        if (wasTaking && !isTaking) logger.warn({ reason }, 'The collector does not take traces: they are lost');
        if (!wasTaking && isTaking) logger.info('The collector takes traces again');
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
