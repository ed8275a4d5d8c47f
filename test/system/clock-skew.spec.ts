import { scrapeMetrics } from '../support/metrics.js';
import { TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { bodyOf, postSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';
import { shiftedClock } from '../support/shifted-clock.js';

const differ = "clock and the database's differ";

const seconds = -90;
const server = RunningServer.forTests({
  ...shiftedClock(seconds * 1_000),
  METRICS_PORT: '0',
  TZ: 'America/New_York',
});

describe('a server whose clock differs from the database’s', () => {
  it('is degraded, logs a warning and exposes the offset', async () => {
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

describe('on a machine whose time zone is America/New_York', () => {
  const organization = TestOrganization.forTests(server);
  let team: string;

  beforeAll(async () => {
    team = (await organization.team())._id;
  });

  const create = async (fields: Record<string, unknown>) => {
    const body = { teamId: team, teamTwoName: 'Foxes', ...fields };
    return bodyOf(await postSchedule(organization, body).expect(201));
  };

  it.each([
    ['2027-03-14T02:30:00', '2027-03-14T02:30:00.000Z'],
    ['2027-11-07T01:30:00', '2027-11-07T01:30:00.000Z'],
    ['2027-11-07T01:59:59-04:00', '2027-11-07T05:59:59.000Z'],
  ])('%s is %s, even if the local clock skips or repeats it', async (startDate, instant) => {
    expect((await create({ startDate }))['startDate']).toBe(instant);
  });

  it.each([
    ['2027-11-07T01:45:00-04:00', '2027-11-07T01:15:00-05:00'],
    ['2027-03-14T01:45:00-05:00', '2027-03-14T03:15:00-04:00'],
  ])('a game of 30 minutes from %s ends at %s: elapsed time counts, not the local clock', async (from, to) => {
    expect((await create({ startDate: from, duration: 30 }))['endDate']).toBe(new Date(to).toISOString());
  });
});
