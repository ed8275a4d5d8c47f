import { TestOrganization } from '../support/organization.js';
import { bodyOf, postSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('on a machine whose time zone is America/New_York', () => {
  const server = RunningServer.forTests({ TZ: 'America/New_York' });
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
