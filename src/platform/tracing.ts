import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { isHealthCheck, routePattern, type ApiRequest } from '../common/http/api-request.js';
import { CommandSpans } from '../database/command-spans.js';

const sendMilliseconds = 2_000;
const collectorMilliseconds = 5_000;
const maxFlushMilliseconds = 2_000;

export interface Tracing {
  readonly requests: RequestHandler;
  readonly commands: CommandSpans;
  /** Returns what a log line carries of the active trace. */
  lineContext(): Readonly<Record<string, unknown>>;
  /** Sends the last spans, in at most 2 s, and never fails. */
  end(): Promise<void>;
}

/**
 * Starts to trace; import this module only if requests are traced, as it loads all of OpenTelemetry. Sampling and the
 * collector's headers are set by OpenTelemetry's own variables. At most 2,048 spans wait for the collector.
 */
export function startTracing(
  { endpoint, serviceName }: { endpoint: string; serviceName: string },
  logger: Logger,
): Tracing {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = logOutages(new OTLPTraceExporter({ url, timeoutMillis: collectorMilliseconds }), logger);
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: sendMilliseconds });
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
    end: () => Promise.race([provider.shutdown().catch(() => undefined), sleep(maxFlushMilliseconds)]),
  };
}

/** Wraps an exporter to log once when the collector stops taking spans, which are then lost, and once when it resumes. */
export function logOutages(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isTaking = true;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const wasTaking = isTaking;
        isTaking = (result.code as number) === 0; // ExportResultCode.SUCCESS
        const reason = result.error?.message;
        if (wasTaking && !isTaking) logger.warn({ reason }, 'The collector does not take traces: they are lost');
        if (!wasTaking && isTaking) logger.info('The collector takes traces again');
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Returns the middleware that makes a span for each request except health checks, below the caller's span if the request
 * names one (W3C `traceparent`), and makes it the active one.
 */
export function traceRequests(tracer: Tracer): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (isHealthCheck(request.path)) {
      next();
      return;
    }
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    const method = METHODS.includes(request.method) ? request.method : '_OTHER';
    const attributes = {
      'http.request.method': method,
      // Behind a trusted proxy Express takes this from a header, which may say anything.
      'url.scheme': request.protocol === 'https' ? 'https' : 'http',
      'network.protocol.version': request.httpVersion,
    };
    const served = request as ApiRequest;
    // Includes the wait for a place; OpenTelemetry accepts times of the monotonic clock.
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, startTime: served.arrivedAt }, caller);
    served.otelTraceId = span.spanContext().traceId;
    response.once('close', () => end(span, method, served, response));
    context.with(trace.setSpan(caller, span), next);
  };
}

/** Ends a span with what is known of the request; its path and query are left out, as they can hold anything. */
function end(span: Span, method: string, request: ApiRequest, response: Response): void {
  const route = routePattern(request);
  const { statusCode } = response;
  if (route !== undefined) {
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  span.setAttribute('app.request.id', request.requestId);
  const organizationId = request.integrationContext?.organization.id;
  if (organizationId !== undefined) span.setAttribute('app.organization.id', organizationId);
  // Without a response there is no status: the client has gone.
  if (response.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (response.headersSent && statusCode >= 500) {
    span.setAttribute('error.type', String(statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(performance.now());
}
