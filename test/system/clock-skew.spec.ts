import { scrapeMetrics } from '../support/metrics.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { shiftedClock } from '../support/shifted-clock.js';

const differ = "clock and the database's differ";

describe('a server whose clock differs from the database’s', () => {
  const servers: RunningServer[] = [];
  const start = async (variables = {}) => {
    const server = await RunningServer.start({ METRICS_PORT: '0', ...variables });
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  it('is degraded, logs a warning and exposes the offset', async () => {
    const seconds = -90;
    const server = await start(shiftedClock(seconds * 1_000));
    await eventually('the log warns', () => server.log.includes(differ));
    const line = server.log.split('\n').find((each) => each.includes(differ)) ?? '';
    const { level, offsetSeconds } = JSON.parse(line) as { level: string; offsetSeconds: number };
    expect(level).toBe('warn');
    expect(Math.abs(offsetSeconds - seconds)).toBeLessThan(2);
    const readiness = await server.call('get', '/health/ready').expect(200);
    expect(readiness.body).toMatchObject({ status: 'ok', degraded: [`This machine's ${differ} by more than 2 s`] });
    expect(Math.abs((await scrapeMetrics(server)).sum('ffapi_clock_offset_seconds') - seconds)).toBeLessThan(2);
  });
});
