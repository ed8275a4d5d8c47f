import fc from 'fast-check';
import { newRecordId, toRecordId, toUpdate } from '../../database/record.js';
import type { UpdateSchedule } from './schedule.dto.js';
import { buildChanges, dependsOnStored, validateUpdate } from './schedule.rules.js';
import type { Schedule, ScheduleRecord } from './schedule.schema.js';
import { timeBucketOf } from './time-bucket.js';

fc.configureGlobal({ seed: 20270501, numRuns: 1_000 });

const teams = ['6650f1f77bcf86cd79943941', '6650f1f77bcf86cd79943942', '6650f1f77bcf86cd79943943'].map((id, index) => ({
  id,
  name: `Team ${index}`,
}));
const [owner = { id: '', name: '' }] = teams;

const start = Date.parse('2027-05-01T10:00:00Z');
const date = fc.integer({ min: -100, max: 100 }).map((minutes) => new Date(start + minutes * 60_000));
const teamId = fc.constantFrom(...teams.map(({ id }) => id));
const name = fc.constantFrom('Foxes', 'Guests');
const title = fc.constantFrom('Final', 'Semifinal');
const duration = fc.constantFrom(20, 30, 60);
const eventType = fc.constantFrom('game' as const, 'practice' as const);
const text = fc.constantFrom('a', 'b');

/** Requests that the validation pipe accepts. */
const requests = fc
  .record(
    {
      startDate: date,
      endDate: fc.option(date),
      duration,
      eventType,
      isScrimmage: fc.boolean(),
      teamTwoId: fc.option(teamId),
      teamTwoName: name,
      eventTitle: fc.option(title),
      locationName: fc.option(text),
    },
    { requiredKeys: [] },
  )
  .filter((sent) => validateUpdate(sent).length === 0);

/** Schedules that the rules allow. */
const schedules = fc
  .record({
    startDate: date,
    minutes: fc.integer({ min: 1, max: 100 }),
    duration,
    eventType,
    isScrimmage: fc.boolean(),
    teamTwoId: fc.option(teamId, { nil: undefined }),
    teamTwoName: name,
    eventTitle: title,
    locationName: fc.option(text, { nil: undefined }),
  })
  .map(({ minutes, teamTwoId, ...fields }) => ({
    ...fields,
    _id: newRecordId(),
    teamOneId: toRecordId(owner.id),
    ...(teamTwoId !== undefined && { teamTwoId: toRecordId(teamTwoId) }),
    endDate: new Date(fields.startDate.getTime() + minutes * 60_000),
  }))
  .map((fields) => fields as unknown as Schedule)
  .filter(isAllowed);

function isAllowed({ startDate, endDate, eventType: type, isScrimmage, teamTwoId }: Schedule): boolean {
  const isGame = type === 'game' && !isScrimmage;
  return endDate > startDate && !(isGame && teamTwoId?.equals(owner.id) === true);
}

function build(sent: Omit<UpdateSchedule, 'teamId'>, stored: Schedule | undefined) {
  return buildChanges(sent, stored, [owner, ...teams.filter(({ id }) => id === sent.teamTwoId)]);
}

/** The schedule after an update. */
function apply(stored: Schedule, changes: ReturnType<typeof build>['changes']): ScheduleRecord {
  const { $set, $unset } = toUpdate<ScheduleRecord>(changes);
  const fields = Object.entries({ ...(stored as object), ...$set }).filter(([field]) => !(field in ($unset ?? {})));
  return Object.fromEntries(fields) as unknown as ScheduleRecord;
}

describe('the changes of any request to any schedule', () => {
  it('result in a schedule that the rules allow, or have a problem', () => {
    fc.assert(
      fc.property(requests, schedules, (sent, stored) => {
        const { changes, problems } = build(sent, stored);
        expect(isAllowed(apply(stored, changes))).toBe(problems.length === 0);
      }),
    );
  });

  it('are the same without the stored schedule if they do not depend on it, and then have no problem', () => {
    fc.assert(
      fc.property(
        requests.filter((sent) => !dependsOnStored(sent)),
        schedules,
        (sent, stored) => {
          expect(build(sent, stored)).toEqual(build(sent, undefined));
          expect(build(sent, stored).problems).toEqual([]);
        },
      ),
    );
  });

  it('contain every sent value, keep other fields, and set the time bucket with the dates', () => {
    fc.assert(
      fc.property(requests, schedules, (sent, stored) => {
        const { changes, problems } = build(sent, stored);
        if (problems.length > 0) return;
        const after = apply(stored, changes);
        const { startDate, endDate, timeBucket, ...others } = changes;
        for (const [field, value] of Object.entries({ ...sent, teamTwoId: undefined })) {
          if (value !== null && value !== undefined) expect(after[field as keyof Schedule]).toEqual(value);
        }
        const named = Object.entries(others).filter(([, value]) => value !== undefined);
        const computed = typeof sent.teamTwoId === 'string' ? ['teamTwoName'] : [];
        for (const [field] of named) expect([...Object.keys(sent), ...computed]).toContain(field);
        if (startDate && endDate)
          expect(after.timeBucket ?? timeBucketOf(stored)).toBe(timeBucketOf({ startDate, endDate }));
        else expect(timeBucket).toBeUndefined();
      }),
    );
  });

  it('change nothing if the same request is repeated', () => {
    fc.assert(
      fc.property(requests, schedules, (sent, stored) => {
        const first = build(sent, stored);
        if (first.problems.length > 0) return;
        const once = apply(stored, first.changes);
        const again = build(sent, once);
        expect(again.problems).toEqual([]);
        expect(apply(once, again.changes)).toEqual(once);
      }),
    );
  });
});
