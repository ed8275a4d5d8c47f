import { expectFieldError, expectError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import {
  bodyOf,
  listScheduleIds,
  minutesAfterStart,
  patchSchedule,
  readSchedule,
  defaultStart,
  nonDefaultFields,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

describe('PATCH /schedules/{scheduleId}', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server);
  let team: Stored;

  beforeAll(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  /** Values that differ from the defaults. */
  const nonDefault = () => ({ eventType: 'practice', ...nonDefaultFields() });

  const change = (schedule: Stored, fields: Record<string, unknown>) =>
    patchSchedule(organization, schedule._id, { teamId: team._id, ...fields });

  it('changes only the sent field: other fields keep their values, and no default is applied', async () => {
    const created = await organization.schedule(team._id, nonDefault());
    const changed = bodyOf(await change(created, { eventTitle: 'Final' }).expect(200));
    expect(changed).toEqual({ ...created, eventTitle: 'Final', revision: 2, updatedAt: changed['updatedAt'] });
    expect(await readSchedule(organization, created._id)).toEqual(changed);
  });

  it('changes all fields at once', async () => {
    const created = await organization.schedule(team._id);
    const all = { ...nonDefault(), startDate: minutesAfterStart(5), teamTwoName: 'Wolves', eventTitle: 'Final' };
    const before = Date.now();
    const body = bodyOf(await change(created, all).expect(200));
    expect(body).toEqual({ ...created, ...all, revision: 2, updatedAt: body['updatedAt'] });
    expect(Date.parse(String(body['updatedAt']))).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ['only the required fields', {}],
    ['every field', nonDefault()],
  ])('with only teamId changes nothing in a schedule with %s', async (_what, fields) => {
    const created = await organization.schedule(team._id, fields);
    expect(bodyOf(await change(created, {}).expect(200))).toEqual(created);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });

  it('finds a schedule and its team by their IDs in upper case', async () => {
    const created = await organization.schedule(team._id);
    const _id = created._id.toUpperCase();
    const body = bodyOf(await change({ _id }, { teamId: team._id.toUpperCase(), eventTitle: 'Final' }).expect(200));
    expect(body).toMatchObject({ _id: created._id, teamId: team._id, eventTitle: 'Final' });
    expect(await readSchedule(organization, _id)).toEqual(body);
  });

  it('with null clears optional fields, which are then omitted', async () => {
    const created = await organization.schedule(team._id, nonDefault());
    const nulls = { locationName: null, placeId: null, location: null, practiceNote: null, tournamentId: null };
    const body = bodyOf(await change(created, nulls).expect(200));
    const kept = Object.entries(created).filter(([field]) => !(field in nulls));
    expect(body).toEqual({ ...Object.fromEntries(kept), revision: 2, updatedAt: body['updatedAt'] });
    expect(await readSchedule(organization, created._id)).toEqual(body);
    expect(bodyOf(await change(created, nulls).expect(200))).toEqual(body);
  });

  it('with "endDate": null computes the end from the start and the duration, with the same result if repeated', async () => {
    const created = await organization.schedule(team._id, { duration: 48, endDate: minutesAfterStart(95) });
    const sent = { startDate: minutesAfterStart(5), endDate: null };
    const body = bodyOf(await change(created, sent).expect(200));
    expect(body).toMatchObject({ startDate: minutesAfterStart(5), endDate: minutesAfterStart(53) });
    expect(bodyOf(await change(created, sent).expect(200))).toEqual(body);
  });

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

  it.each<[string, Record<string, unknown>, string]>([
    ['an invalid value', { duration: 31 }, 'duration'],
    ['a field that cannot be changed', { organizationId: 'f'.repeat(24) }, 'organizationId'],
    ['no teamId', { teamId: undefined }, 'teamId'],
    ['an end at the stored start', { endDate: defaultStart }, 'endDate'],
    ['yardage without a field size, even if one is stored', { enableYardage: true }, 'fieldSizeInYard'],
  ])('rejects %s, and changes nothing', async (_what, fields, field) => {
    const created = await organization.schedule(team._id, nonDefault());
    expectFieldError(await change(created, { eventTitle: 'Changed', ...fields }), field);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });

  it('by the opponent, another team of the organization, returns 40304 even if it would break a rule', async () => {
    const opponent = await organization.team({ season: team['season'] });
    const created = await organization.schedule(team._id, { teamTwoId: opponent._id });
    for (const fields of [{}, { eventTitle: 'Changed' }, { endDate: '2020-01-01T00:00:00Z' }])
      expectError(await change(created, { teamId: opponent._id, ...fields }), 40304);
    expect(await readSchedule(organization, created._id)).toEqual(created);
  });
});
