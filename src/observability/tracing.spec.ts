import { EventEmitter } from 'node:events';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Request, Response } from 'express';
import { traceRequests } from './tracing.js';

describe('the span of a request', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const trace = traceRequests(provider.getTracer('test'));

  beforeEach(() => exporter.reset());

  const spanOf = (request: object) => {
    const response = Object.assign(new EventEmitter(), { statusCode: 200, headersSent: true });
    const asked = { method: 'GET', path: '/', headers: {}, protocol: 'http', requestId: 'abcdefgh', ...request };
    trace(asked as unknown as Request, response as unknown as Response, () => response.emit('close'));
    const [span] = exporter.getFinishedSpans();
    if (span === undefined) throw new Error('There is no span');
    return span;
  };

  it('starts when the request arrived, including the time in the overload queue', () => {
    const span = spanOf({ arrivedAt: performance.now() - 1_500 });
    const [seconds, nanoseconds] = span.duration;
    const took = seconds * 1_000 + nanoseconds / 1e6;
    expect(took).toBeGreaterThanOrEqual(1_499);
    expect(took).toBeLessThan(5_000);
    // Times are wall-clock times like those of other spans.
    const ended = span.endTime[0] * 1_000 + span.endTime[1] / 1e6;
    expect(Math.abs(ended - Date.now())).toBeLessThan(5_000);
  });
});
