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
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { isHealthCheck, routePattern } from '../http/request-head.js';

export const tracer = trace.getTracer('flag-football-public-api');

/** Returns the fields of log lines that name a span, by default the active one. */
export function toLogFields(span = trace.getSpanContext(context.active())): object {
  return span === undefined ? {} : { otelTraceId: span.traceId, otelSpanId: span.spanId };
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
    traced.otelSpan = toLogFields(span.spanContext());
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
