import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { pino } from 'pino';
import { logOutages } from './tracing.js';

describe('an exporter of spans', () => {
  it('logs that the collector is away and that it is back, once each, also without an error', () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
    const codes = [0, 1, 1, 0, 0];
    const exporter: SpanExporter = {
      export: (_spans, done: (result: { code: number }) => void) => done({ code: codes.shift() ?? 0 }),
      shutdown: () => Promise.resolve(),
    };
    const observed = logOutages(exporter, logger);
    for (let sent = 0; sent < 5; sent++) observed.export([], () => undefined);
    expect(lines).toEqual(['The collector does not take traces: they are lost', 'The collector takes traces again']);
  });
});
