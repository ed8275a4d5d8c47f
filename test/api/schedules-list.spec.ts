import { type Stored, TestOrganization } from '../support/organization.js';
import {
  deleteSchedule,
  listScheduleIds,
  listSchedules,
  minutesAfterStart,
  defaultStart,
} from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

/** Which schedules `filter` lists: schedules-outcome.spec.ts, and to the millisecond in-process/schedules.spec.ts. */
describe('GET /schedules', () => {
  const server = RunningServer.forTests();
  const organization = TestOrganization.forTests(server, beforeEach);
  let team: Stored;

  beforeEach(async () => {
    team = await organization.team({ name: 'Hawks' });
  });

  const from = (startDate: string) => organization.schedule(team._id, { startDate });

  it('with teamId lists schedules of the team on either side, each once', async () => {
    const [foxes, wolves] = [await organization.team({ name: 'Foxes' }), await organization.team({ name: 'Wolves' })];
    const own = await organization.schedule(foxes._id, { teamTwoId: wolves._id });
    const away = await organization.schedule(team._id, { teamTwoId: foxes._id });
    const against = await organization.schedule(team._id, { teamTwoName: 'Foxes' });
    const itself = await organization.schedule(foxes._id, { teamTwoId: foxes._id, eventType: 'practice' });
    expect(await listSchedules(organization, `teamId=${foxes._id}`)).toEqual({ data: [own, away, itself], total: 3 });
    expect(await listScheduleIds(organization, `teamId=${wolves._id.toUpperCase()}`)).toEqual([own._id]);
    expect(await listScheduleIds(organization, `teamId=${team._id}`)).toEqual([away._id, against._id]);
  });

  it('with startDateFrom, inclusive, and startDateTo, exclusive, lists the period between them', async () => {
    const justBefore = new Date(Date.parse(defaultStart) - 1).toISOString();
    const created = [await from(justBefore), await from(defaultStart), await from(minutesAfterStart(60))];
    const at = (...indexes: number[]) => indexes.map((index) => created[index]?._id);
    expect(await listScheduleIds(organization, `startDateFrom=${defaultStart}`)).toEqual(at(1, 2));
    expect(await listScheduleIds(organization, `startDateTo=${defaultStart}`)).toEqual(at(0));
    // The unescaped + of an offset arrives as a space.
    const period = 'startDateFrom=2027-05-01T12:00:00+02:00&startDateTo=2027-05-01T13:00:00+02:00';
    expect(await listScheduleIds(organization, period)).toEqual(at(1));
    const empty = `startDateFrom=${defaultStart}&startDateTo=${defaultStart}`;
    expect(await listSchedules(organization, empty)).toEqual({ data: [], total: 0 });
  });

  it('combines all filters with AND', async () => {
    const foxes = await organization.team({ name: 'Foxes' });
    const matching = { startDate: '2190-05-01T10:00:00Z', teamTwoId: foxes._id };
    const wanted = await organization.schedule(team._id, matching);
    await organization.schedule(team._id, { ...matching, eventType: 'practice' });
    await organization.schedule(team._id, { ...matching, teamTwoId: undefined });
    await organization.schedule(team._id, { ...matching, startDate: '2190-05-01T09:59:59Z' });
    await organization.schedule(team._id, { ...matching, startDate: '2190-05-01T11:00:00Z' });
    const deleted = await organization.schedule(team._id, matching);
    await deleteSchedule(organization, deleted._id, team._id).expect(200);
    const span = 'startDateFrom=2190-05-01T10:00:00Z&startDateTo=2190-05-01T11:00:00Z';
    const query = `filter=upcoming&teamId=${foxes._id}&eventType=game&${span}&page=1&limit=5`;
    expect(await listSchedules(organization, query)).toEqual({ data: [wanted], total: 1 });
    expect(await listScheduleIds(organization, query.replace('upcoming', 'live'))).toEqual([]);
  });

  it('is ordered by startDate, then by _id, and follows a changed startDate', async () => {
    const last = await from(minutesAfterStart(30));
    const same = [await from(defaultStart), await from(defaultStart), await from(defaultStart)];
    const ids = same.map(({ _id }) => _id).sort();
    expect(await listScheduleIds(organization)).toEqual([...ids, last._id]);
    const change = { teamId: team._id, startDate: minutesAfterStart(-30) };
    await organization.call('patch', `/schedules/${last._id}`).send(change).expect(200);
    expect(await listScheduleIds(organization)).toEqual([last._id, ...ids]);
  });
});
