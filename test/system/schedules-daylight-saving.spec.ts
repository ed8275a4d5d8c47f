import { createOrganization, type TestOrganization } from '../support/organization.js';
import { bodyOf, listSchedules, patchSchedule, postSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** Times around a clock change as sent, with an offset, and their UTC time, in chronological order. */
type Moment = [sent: string, moment: string];

const changes: [what: string, moments: Moment[]][] = [
  [
    'New York clocks go forward and skip 02:30',
    [
      ['2027-03-14T01:59:59-05:00', '2027-03-14T06:59:59.000Z'],
      ['2027-03-14T03:00:00-04:00', '2027-03-14T07:00:00.000Z'],
      ['2027-03-14T02:30:00-05:00', '2027-03-14T07:30:00.000Z'],
    ],
  ],
  [
    'New York clocks go back and repeat 01:30',
    [
      ['2027-11-07T01:30:00-04:00', '2027-11-07T05:30:00.000Z'],
      ['2027-11-07T01:59:59-04:00', '2027-11-07T05:59:59.000Z'],
      ['2027-11-07T01:30:00-05:00', '2027-11-07T06:30:00.000Z'],
      ['2027-11-07T02:00:00-0500', '2027-11-07T07:00:00.000Z'],
    ],
  ],
];

/** Times without a zone are UTC, even if the server's local clock skips or repeats them. */
const zoneless: Moment[] = [
  ['2027-03-14T02:30:00', '2027-03-14T02:30:00.000Z'],
  ['2027-11-07T01:30:00', '2027-11-07T01:30:00.000Z'],
];

describe('on a machine whose time zone is America/New_York', () => {
  const server = RunningServer.forTests(() => RunningServer.start({ TZ: 'America/New_York' }));
  let organization: TestOrganization;
  let team: string;

  beforeEach(async () => {
    organization = await createOrganization(server);
    team = (await organization.team())._id;
  });

  const make = async (fields: Record<string, unknown>) => {
    const body = { teamId: team, teamTwoName: 'Foxes', ...fields };
    return bodyOf(await postSchedule(organization, body).expect(201));
  };
  const starts = async (query = '') => (await listSchedules(organization, query)).data.map((one) => one['startDate']);

  it.each(changes)('when %s, times with an offset are exact and sorted chronologically', async (_, all) => {
    for (const [startDate, moment] of [...all].reverse()) {
      expect((await make({ startDate }))['startDate']).toBe(moment);
    }
    expect(await starts()).toEqual(all.map(([, moment]) => moment));
    for (const [index, [sent]] of all.entries()) {
      const from = encodeURIComponent(sent);
      expect(await starts(`startDateFrom=${from}`)).toEqual(all.slice(index).map(([, moment]) => moment));
      expect(await starts(`startDateTo=${from}`)).toEqual(all.slice(0, index).map(([, moment]) => moment));
    }
  });

  it('a time without a zone is UTC', async () => {
    for (const [startDate, moment] of zoneless) expect((await make({ startDate }))['startDate']).toBe(moment);
  });

  it.each([
    ['2027-11-07T01:45:00-04:00', '2027-11-07T01:15:00-05:00'],
    ['2027-03-14T01:45:00-05:00', '2027-03-14T03:15:00-04:00'],
  ])(
    'a game of 30 minutes that starts at %s ends at %s: elapsed time counts, not the local clock',
    async (from, to) => {
      const created = await make({ startDate: from, duration: 30 });
      expect(created['endDate']).toBe(new Date(to).toISOString());
      expect(Date.parse(String(created['endDate'])) - Date.parse(String(created['startDate']))).toBe(30 * 60_000);
      await make({ startDate: from, endDate: to });
    },
  );

  it('an end that is later in local time but earlier in UTC is rejected', async () => {
    const fields = { startDate: '2027-11-07T01:15:00-05:00', endDate: '2027-11-07T01:45:00-04:00' };
    await postSchedule(organization, { teamId: team, teamTwoName: 'Foxes', ...fields }).expect(400);
  });

  it('an end that moves with its start over a clock change keeps its distance', async () => {
    const { _id } = await make({ startDate: '2027-10-30T20:00:00+02:00', duration: 60 });
    const moved = await patchSchedule(organization, _id, { teamId: team, startDate: '2027-10-31T02:30:00+02:00' });
    expect(bodyOf(moved)).toMatchObject({
      startDate: '2027-10-31T00:30:00.000Z',
      endDate: '2027-10-31T01:30:00.000Z',
    });
  });
});
