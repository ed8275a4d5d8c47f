import type { RequestContext } from '../../../src/access/request-context.js';
import { newRecordId, type RecordId } from '../../../src/database/record.js';
import type { UpdateSchedule } from '../../../src/modules/schedules/schedule.dto.js';
import type { ScheduleRecord } from '../../../src/modules/schedules/schedule.schema.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { SchedulesService } from '../../../src/modules/schedules/schedules.service.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { newRequestContext, TestApplication } from '../../support/application.js';
import { buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

type Changes = Omit<UpdateSchedule, 'teamId'>;

const at = (time: string) => new Date(`2027-05-01T${time}:00.000Z`);

/** Stored schedules are from 10:00 to 10:30. */
describe('updating a schedule', () => {
  const application = TestApplication.forTests();
  let schedules: SchedulesRepository;
  let service: SchedulesService;
  let context: RequestContext;
  let teamId: RecordId;
  let id: RecordId;

  beforeAll(() => {
    schedules = application.get(SchedulesRepository);
    service = application.get(SchedulesService);
  });

  beforeEach(async () => {
    context = newRequestContext();
    const team = buildTeamRecord(context);
    await application.get(TeamsRepository).insertIdempotent(context, team, undefined, {});
    [teamId, id] = [team._id, newRecordId()];
  });
  afterEach(() => jest.restoreAllMocks());

  const store = (fields: Partial<ScheduleRecord> = {}) => {
    const record = buildScheduleRecord(context, { _id: id, teamOneId: teamId, ...fields });
    return schedules.insertIdempotent(context, record, undefined, {});
  };
  const change = (changes: Changes) => service.update(context, String(id), { teamId: String(teamId), ...changes });
  /** Changes the stored schedule between the first read of an update and its write. */
  const changeAfterRead = (fields: Partial<ScheduleRecord>) => {
    const read = schedules.findById.bind(schedules);
    return jest.spyOn(schedules, 'findById').mockImplementationOnce(async (...call) => {
      const found = await read(...call);
      await application.connection
        .collection('schedules')
        .updateOne({ _id: id }, { $set: fields, $inc: { revision: 1 } });
      return found;
    });
  };
  const stored = () => application.connection.collection('schedules').findOne({ _id: id });

  it.each(['$startDate', '$$ROOT', 'a.b'])(
    'stores strings literally, even if the database could read them as expressions: %s',
    async (text) => {
      await store();
      const changed = await change({ eventTitle: text, practiceNote: text, teamTwoName: text });
      expect(changed).toMatchObject({ eventTitle: text, practiceNote: text, teamTwoName: text });
      expect(await stored()).toMatchObject({ eventTitle: text, practiceNote: text, teamTwoName: text });
    },
  );

  it('never stores an end before the start, even with concurrent changes', async () => {
    for (let run = 0; run < 20; run++) {
      id = newRecordId();
      await store();
      await Promise.allSettled([change({ startDate: at('10:25') }), change({ endDate: at('10:10') })]);
      const { startDate, endDate } = (await stored()) as unknown as ScheduleRecord;
      expect(endDate.getTime()).toBeGreaterThan(startDate.getTime());
    }
  });

  it.each<[string, Changes, Partial<ScheduleRecord>, Partial<ScheduleRecord>]>([
    ['the end', { startDate: at('10:20') }, { endDate: at('10:15') }, { startDate: at('10:20'), endDate: at('10:35') }],
    ['the start', { endDate: at('10:10') }, { startDate: at('10:20') }, { endDate: at('10:30') }],
    ['the scrimmage', { eventType: 'game' }, { isScrimmage: false }, { eventType: 'practice' }],
  ])('is validated again if %s changed since it was read', async (_what, changes, meanwhile, after) => {
    await store({ teamTwoId: teamId, eventType: 'practice', isScrimmage: true });
    const reads = changeAfterRead(meanwhile);
    const outcome = await change(changes).catch((error: unknown) => error);
    if (changes.startDate === undefined) expect(outcome).toMatchObject({ entry: { code: 40001 } });
    expect(reads).toHaveBeenCalledTimes(2);
    expect(await stored()).toMatchObject({ ...meanwhile, ...after });
  });

  it.each<[string, Changes, Partial<ScheduleRecord>, Partial<ScheduleRecord>]>([
    ['the end if the duration', { endDate: null }, { duration: 60 }, { endDate: at('11:00') }],
    ['the title if the name', { eventTitle: null }, { teamTwoName: 'Wolves' }, { eventTitle: 'Hawks vs Wolves' }],
  ])('computes %s changed since it was read', async (_what, changes, meanwhile, after) => {
    await store({ eventTitle: 'Final' });
    const reads = changeAfterRead(meanwhile);
    await change(changes);
    expect(reads).toHaveBeenCalledTimes(2);
    expect(await stored()).toMatchObject({ ...meanwhile, ...after });
  });

  it('reads the schedule only if the change depends on it', async () => {
    await store();
    const reads = jest.spyOn(schedules, 'findById');
    await change({ locationName: 'Park', tournamentId: null, teamTwoId: null, eventTitle: 'Final', duration: 60 });
    await change({ startDate: at('11:00'), endDate: at('11:30') });
    expect(reads).not.toHaveBeenCalled();
    await change({ startDate: at('12:00'), endDate: null });
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('returns 50302 if others changed the schedule five times in a row', async () => {
    await store();
    const before = await schedules.findById(context, String(id));
    await change({ startDate: at('10:10') });
    const reads = jest.spyOn(schedules, 'findById').mockResolvedValue(before);
    await expect(change({ endDate: at('10:50') })).rejects.toMatchObject({
      entry: { code: 50302 },
      retryAfterSeconds: 1,
    });
    expect(reads).toHaveBeenCalledTimes(6);
    expect(await stored()).toMatchObject({ startDate: at('10:10'), endDate: at('10:30') });
  });

  it('changes only the sent fields', async () => {
    await store({ location: { a: { b: '$x' } }, practiceNote: 'x' });
    const before = await stored();
    await change({ duration: 60 });
    const version = { revision: 2, updatedAt: expect.any(Date) as Date, changedBy: expect.any(Object) as object };
    expect(await stored()).toEqual({ ...before, duration: 60, ...version });
  });
});
