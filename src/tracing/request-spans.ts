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
import { isHealthCheck, routePattern, type ServedRequest } from '../common/http/served-request.js';

/**
 * A span for each request, below the one of the caller where that names it (W3C `traceparent`); whether a request is
 * traced is the caller's decision, then. What runs for the request has the span at hand.
 */
export function traceRequests(tracer: Tracer): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    // Nobody looks for these.
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
    const served = request as ServedRequest;
    // With the wait for a place in service. OpenTelemetry takes times of the monotonic clock as they are.
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, startTime: served.arrivedAt }, caller);
    served.otelTraceId = span.spanContext().traceId;
    response.once('close', () => end(span, method, served, response));
    context.with(trace.setSpan(caller, span), next);
  };
}

/** The path and the query are left out: they hold ids, and whatever else a caller puts there. */
function end(span: Span, method: string, request: ServedRequest, response: Response): void {
  const route = routePattern(request);
  const { statusCode } = response;
  if (route !== undefined) {
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  span.setAttribute('app.request.id', request.requestId);
  const organizationId = request.integrationContext?.organization.id;
  if (organizationId !== undefined) span.setAttribute('app.organization.id', organizationId);
  // Without an answer there is no status: the client has gone.
  if (response.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (response.headersSent && statusCode >= 500) {
    span.setAttribute('error.type', String(statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(performance.now());
}
