import { createOrganization, type TestOrganization } from '../support/organization.js';
import { bodyOf, listSchedules, patchSchedule, postSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** Around a change of the clocks: as it is sent, with its offset, and the moment that it is. In the order of time. */
type Moment = [sent: string, moment: string];

const changes: [what: string, moments: Moment[]][] = [
  [
    'Berlin goes forward, and 02:30 does not exist',
    [
      ['2027-03-28T01:30:00+01:00', '2027-03-28T00:30:00.000Z'],
      ['2027-03-28T01:59:59+01:00', '2027-03-28T00:59:59.000Z'],
      ['2027-03-28T03:00:00+02:00', '2027-03-28T01:00:00.000Z'],
      // The wall clock never shows it, but with an offset it is a moment all the same.
      ['2027-03-28T02:30:00+01:00', '2027-03-28T01:30:00.000Z'],
      ['2027-03-28T04:00:00+02:00', '2027-03-28T02:00:00.000Z'],
    ],
  ],
  [
    'Berlin goes back, and 02:30 is there twice',
    [
      ['2027-10-31T02:30:00+02:00', '2027-10-31T00:30:00.000Z'],
      ['2027-10-31T02:59:59.999+02:00', '2027-10-31T00:59:59.999Z'],
      ['2027-10-31T02:00:00+01:00', '2027-10-31T01:00:00.000Z'],
      ['2027-10-31T02:30:00+01:00', '2027-10-31T01:30:00.000Z'],
    ],
  ],
  [
    'New York goes forward, and 02:30 does not exist',
    [
      ['2027-03-14T01:59:59-05:00', '2027-03-14T06:59:59.000Z'],
      ['2027-03-14T03:00:00-04:00', '2027-03-14T07:00:00.000Z'],
      ['2027-03-14T02:30:00-05:00', '2027-03-14T07:30:00.000Z'],
    ],
  ],
  [
    'New York goes back, and 01:30 is there twice',
    [
      ['2027-11-07T01:30:00-04:00', '2027-11-07T05:30:00.000Z'],
      ['2027-11-07T01:59:59-04:00', '2027-11-07T05:59:59.000Z'],
      ['2027-11-07T01:30:00-05:00', '2027-11-07T06:30:00.000Z'],
      ['2027-11-07T02:00:00-0500', '2027-11-07T07:00:00.000Z'],
    ],
  ],
  [
    'places are up to 26 hours apart',
    [
      ['2027-05-01T13:00:00+14:00', '2027-04-30T23:00:00.000Z'],
      ['2027-05-01T05:15:00+05:45', '2027-04-30T23:30:00.000Z'],
      ['2027-04-30T12:00:00-12:00', '2027-05-01T00:00:00.000Z'],
    ],
  ],
];

/** The same moments without any zone are UTC, also those that the server's own wall clock skips or shows twice. */
const zoneless: Moment[] = [
  ['2027-03-14T02:30:00', '2027-03-14T02:30:00.000Z'],
  ['2027-03-28T02:30:00', '2027-03-28T02:30:00.000Z'],
  ['2027-11-07T01:30:00', '2027-11-07T01:30:00.000Z'],
  // Apia left out the whole day when it changed sides of the date line.
  ['2011-12-30T12:00:00', '2011-12-30T12:00:00.000Z'],
];

describe.each(['UTC', 'America/New_York', 'Pacific/Apia'])('on a machine whose time zone is %s', (TZ) => {
  let server: RunningServer;
  let organization: TestOrganization;
  let team: string;

  beforeAll(async () => {
    server = await RunningServer.start({ TZ });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    organization = await createOrganization(server);
    team = (await organization.team())._id;
  });

  const make = async (fields: Record<string, unknown>) => {
    const body = { teamId: team, teamTwoName: 'Foxes', ...fields };
    return bodyOf(await postSchedule(organization, body).expect(201));
  };
  const starts = async (query = '') => (await listSchedules(organization, query)).data.map((one) => one['startDate']);

  it.each(changes)('when %s, a moment with an offset is that moment, and the order is that of time', async (_, all) => {
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

  it('a moment without a zone is UTC', async () => {
    for (const [startDate, moment] of zoneless) expect((await make({ startDate }))['startDate']).toBe(moment);
  });

  it.each([
    ['2027-03-28T01:45:00+01:00', '2027-03-28T03:15:00+02:00'],
    ['2027-10-31T02:45:00+02:00', '2027-10-31T02:15:00+01:00'],
    ['2027-11-07T01:45:00-04:00', '2027-11-07T01:15:00-05:00'],
    ['2027-03-14T01:45:00-05:00', '2027-03-14T03:15:00-04:00'],
  ])('what begins at %s and lasts 30 minutes ends at %s: time that passes counts, no wall clock', async (from, to) => {
    const made = await make({ startDate: from, duration: 30 });
    expect(made['endDate']).toBe(new Date(to).toISOString());
    expect(Date.parse(String(made['endDate'])) - Date.parse(String(made['startDate']))).toBe(30 * 60_000);
    // On the wall the end of the second and the third stands before their beginning.
    await make({ startDate: from, endDate: to });
  });

  it('an end that is later on the wall and earlier in time is refused', async () => {
    const fields = { startDate: '2027-11-07T01:15:00-05:00', endDate: '2027-11-07T01:45:00-04:00' };
    await postSchedule(organization, { teamId: team, teamTwoName: 'Foxes', ...fields }).expect(400);
  });

  it('an end that is moved along with its beginning over the change keeps its distance in time', async () => {
    const { _id } = await make({ startDate: '2027-10-30T20:00:00+02:00', duration: 60 });
    const moved = await patchSchedule(organization, _id, { teamId: team, startDate: '2027-10-31T02:30:00+02:00' });
    expect(bodyOf(moved)).toMatchObject({
      startDate: '2027-10-31T00:30:00.000Z',
      endDate: '2027-10-31T01:30:00.000Z',
    });
  });
});
