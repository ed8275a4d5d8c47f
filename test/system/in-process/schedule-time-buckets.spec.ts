import fc from 'fast-check';
import { withDefaults } from '../../../src/validation/dto.js';
import { toRecordId } from '../../../src/database/record.js';
import { CreateSchedule } from '../../../src/modules/schedules/schedule.dto.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { SchedulesService } from '../../../src/modules/schedules/schedules.service.js';
import { timeBucketOf } from '../../../src/modules/schedules/time-bucket.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { newRequestContext, newScope, TestApplication } from '../../support/application.js';
import { buildScheduleRecord, buildTeamRecord } from '../../support/records.js';

const now = new Date('2027-05-01T12:00:00.000Z');
const hour = 3_600_000;
const page = { page: 1, limit: 100 };

describe('the time bucket of a stored schedule', () => {
  const application = TestApplication.forTests();
  let schedules: SchedulesRepository;
  let service: SchedulesService;

  beforeAll(() => {
    schedules = application.get(SchedulesRepository);
    service = application.get(SchedulesService);
  });

  const stored = () => application.connection.collection('schedules');

  it('is the same after creation and after a change of the dates', async () => {
    const starts = fc
      .integer({ min: -(300 * 24), max: 300 * 24 })
      .map((hours) => new Date(now.getTime() + hours * hour));
    const lengths = fc.oneof(fc.constantFrom(1, hour, hour + 1, 4 * hour), fc.integer({ min: 1, max: 60_000 * hour }));
    const dates = fc
      .tuple(starts, lengths)
      .map(([startDate, length]) => ({ startDate, endDate: new Date(startDate.getTime() + length) }));
    const context = newRequestContext();
    const team = buildTeamRecord(context);
    const teamId = String(team._id);
    await application.get(TeamsRepository).insertIdempotent(context, team, undefined, {});
    await fc.assert(
      fc.asyncProperty(dates, dates, async (first, second) => {
        const input = withDefaults(CreateSchedule, { teamId, teamTwoName: 'Foxes', ...first });
        const { _id } = await service.create(context, input);
        const timeBucket = async () => (await stored().findOne({ _id: toRecordId(_id) }))?.['timeBucket'] as unknown;
        expect(await timeBucket()).toBe(timeBucketOf(first));
        await service.update(context, _id, { teamId, ...second });
        expect(await timeBucket()).toBe(timeBucketOf(second));
        const [startDate, endDate] = [new Date(second.startDate.getTime() - hour), second.endDate];
        await service.update(context, _id, { teamId, startDate });
        expect(await timeBucket()).toBe(timeBucketOf({ startDate, endDate }));
      }),
      { numRuns: 25 },
    );
  });

  it('can be missing: filter=live lists schedules that were inserted manually', async () => {
    const scope = newScope();
    const dates = { startDate: now, endDate: new Date(now.getTime() + 3 * hour) };
    const record = buildScheduleRecord(scope, dates);
    await stored().insertOne(record);
    const liveAsOf = new Date(now.getTime() + 2 * hour);
    const before = await schedules.findMatching(scope, { liveAsOf }, page);
    expect(before).toMatchObject({ total: 1 });
    await stored().updateOne({ _id: record._id }, { $unset: { timeBucket: 1 } });
    expect(await schedules.findMatching(scope, { liveAsOf }, page)).toEqual(before);
  });
});
