import { expectError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  minutesAfterStart,
  postSchedule,
  readSchedule,
  defaultStart,
  listScheduleIds,
  patchSchedule,
  deleteSchedule,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();

describe('POST /schedules', () => {
  const organization = TestOrganization.forTests(server);
  let team: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Wolves' });

  it('returns 201 with the unwrapped schedule: defaults for omitted fields, no unset fields', async () => {
    const response = await postSchedule(organization, minimal()).expect(201);
    const created = response.body as Stored;
    expect(created).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      organizationId: organization.id,
      teamOneId: team._id,
      teamId: team._id,
      teamTwoName: 'Wolves',
      eventType: 'game',
      eventTitle: 'Hawks vs Wolves',
      startDate: defaultStart,
      endDate: minutesAfterStart(30),
      duration: 30,
      matchupFormat: 'halves',
      teamFormat: '7v7',
      isTestGame: false,
      isScrimmage: false,
      enableYardage: false,
      allowZeroYardStart: false,
      overtimeType: 'unlimited',
      status: 'scheduled',
      season: team['season'],
      revision: 1,
      changedBy: organization.asChangedBy(),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      updatedAt: created['createdAt'],
    });
  });

  it('stores a location as sent: every JSON type, empty objects and lists, and keys in their order', async () => {
    const types = {
      zebra: ' é 🏈 ',
      large: 9_007_199_254_740_991,
      part: 0.1,
      yes: true,
      none: null,
      list: [],
      object: {},
    };
    const location = { ...types, a$b: '$where', deep: { type: 'x', _id: { toJSON: 1, length: 5 } } };
    const { _id, ...created } = bodyOf(await postSchedule(organization, { ...minimal(), location }).expect(201));
    const read = await readSchedule(organization, _id);
    for (const kept of [created, read]) expect(JSON.stringify(kept['location'])).toBe(JSON.stringify(location));
  });

  it('without an opponent returns 40002, whatever else is invalid', async () => {
    const fields = { teamId: 5, teamTwoName: null, duration: '30', location: { constructor: 1 } };
    const body = expectError(await postSchedule(organization, { ...minimal(), ...fields }), 40002);
    expect(body.message).toBe('Either teamTwoId or teamTwoName must be provided');
  });
});

describe('PATCH /schedules/{scheduleId}', () => {
  const organization = TestOrganization.forTests(server);
  let team: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  const change = (schedule: Stored, fields: Record<string, unknown>) =>
    patchSchedule(organization, schedule._id, { teamId: team._id, ...fields });

  it('with another opponent stores its ID and name, and lists the schedule for it and no longer for the old one', async () => {
    const [before, after] = [await organization.team(), await organization.team({ name: 'Wolves' })];
    const { _id } = await organization.schedule(team._id, { teamTwoId: before._id });
    const listed = async () => [
      await listScheduleIds(organization, `teamId=${before._id}`),
      await listScheduleIds(organization, `teamId=${after._id}`),
    ];
    expect(await listed()).toEqual([[_id], []]);
    const body = bodyOf(await change({ _id }, { teamTwoId: after._id, eventTitle: null }).expect(200));
    expect(body).toMatchObject({ teamTwoId: after._id, teamTwoName: 'Wolves', eventTitle: 'Hawks vs Wolves' });
    expect(await listed()).toEqual([[], [_id]]);
    expect(bodyOf(await change({ _id }, { teamTwoId: null }).expect(200))).not.toHaveProperty('teamTwoId');
    expect(await listed()).toEqual([[], []]);
  });

  it('or DELETE by the opponent, another team of the organization, returns 40304 even if it would break a rule', async () => {
    const opponent = await organization.team({ season: team['season'] });
    const created = await organization.schedule(team._id, { teamTwoId: opponent._id });
    for (const fields of [{}, { eventTitle: 'Changed' }, { endDate: '2020-01-01T00:00:00Z' }])
      expectError(await change(created, { teamId: opponent._id, ...fields }), 40304);
    expectError(await deleteSchedule(organization, created._id, opponent._id), 40304);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });
});
