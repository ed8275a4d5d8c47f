import { METHODS } from 'node:http';
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
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ApiRequest } from '../http/api-request.js';
import { isHealthCheck, routePattern } from '../http/request-head.js';
import { CommandSpans } from '../database/command-spans.js';
import { createResource, exporterOptions, logOutages, type OtlpOptions, shutDown } from './otlp.js';

const sendMilliseconds = 2_000;

export interface Tracing {
  readonly requests: RequestHandler;
  readonly commands: CommandSpans;
  /** Returns the log fields of the active trace. */
  lineContext(): Readonly<Record<string, unknown>>;
  /** Sends the remaining spans within 2 s; never fails. */
  end(): Promise<void>;
}

interface TracingOptions extends OtlpOptions {
  /** Share of the traces that are recorded, from 0 to 1; a caller's `traceparent` decides for its own trace. */
  readonly sampleRatio: number;
}

/** Starts tracing. Import this module only if it is used, as it loads OpenTelemetry. At most 2,048 spans are buffered. */
export function startTracing(options: TracingOptions, logger: Logger): Tracing {
  const exporter = new OTLPTraceExporter(exporterOptions(options, 'traces'));
  logOutages(exporter, logger, 'spans');
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendMilliseconds });
  const resource = createResource(options);
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) });
  const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = provider.getTracer('flag-football-public-api');
  return {
    requests: traceRequests(tracer),
    commands: new CommandSpans(tracer),
    lineContext: () => {
      const otelTraceId = trace.getSpanContext(context.active())?.traceId;
      return otelTraceId === undefined ? {} : { otelTraceId };
    },
    end: () => shutDown(provider),
  };
}

/** Creates a span for each request except health checks, below the span of the `traceparent` header (W3C), if any. */
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
      // Behind a trusted proxy, Express takes the protocol from a header with any value.
      'url.scheme': request.protocol === 'https' ? 'https' : 'http',
      'network.protocol.version': request.httpVersion,
    };
    const traced = request as ApiRequest;
    // Includes the time in the overload queue. OpenTelemetry accepts monotonic times.
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, startTime: traced.arrivedAt }, caller);
    traced.otelTraceId = span.spanContext().traceId;
    response.once('close', () => end(span, method, traced, response));
    context.with(trace.setSpan(caller, span), next);
  };
}

/** Ends a span with the request's attributes, without path and query, which may contain personal data. */
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
  // Without a response the client has disconnected, and there is no status.
  if (response.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (response.headersSent && statusCode >= 500) {
    span.setAttribute('error.type', String(statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(performance.now());
}
