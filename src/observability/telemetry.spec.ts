import { pino } from 'pino';
import { reportOutages } from './telemetry.js';

describe('reportOutages', () => {
  it('logs the start and end of an outage once each, also without an error', () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
    const codes = [0, 1, 1, 0, 0];
    const exporter = {
      export: (_spans: object[], done: (result: { code: number }) => void) => done({ code: codes.shift() ?? 0 }),
    };
    reportOutages(exporter, 'spans', logger);
    for (let sent = 0; sent < 5; sent++) exporter.export([], () => undefined);
    expect(lines).toEqual(['The collector does not accept spans', 'The collector accepts spans again']);
  });
});
