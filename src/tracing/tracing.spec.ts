import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { telling } from './tracing.js';

describe('an exporter of spans', () => {
  it('tells that the collector is away and that it is back, once each, also where there is no error to tell', () => {
    const told: boolean[] = [];
    const codes = [0, 1, 1, 0, 0];
    const exporter: SpanExporter = {
      export: (_spans, done: (result: { code: number }) => void) => done({ code: codes.shift() ?? 0 }),
      shutdown: () => Promise.resolve(),
    };
    const observed = telling(exporter, (takes) => told.push(takes));
    for (let sent = 0; sent < 5; sent++) observed.export([], () => undefined);
    expect(told).toEqual([false, true]);
  });
});
