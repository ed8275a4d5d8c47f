import fc from 'fast-check';
import type { OrganizationScope } from '../../../src/access/request-context.js';
import { visibilityDelayMilliseconds } from '../../../src/database/count-cache.js';
import { ChangeStreamService, lateWriteMilliseconds } from '../../../src/database/change-stream.service.js';
import { toRecordId } from '../../../src/database/record.js';
import type { ScheduleRecord } from '../../../src/modules/schedules/schedule.schema.js';
import { type ScheduleFilter, SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { newScope, FixedClock, TestApplication } from '../../support/application.js';
import { eventually } from '../../support/processes.js';
import { cachedSchedules } from '../../support/cached-schedules.js';
import { captureCommands } from '../../support/explained.js';
import { buildScheduleRecord } from '../../support/records.js';

const minute = 60_000;
const begin = new Date('2027-05-01T12:00:00.000Z');
/** Enough for totals to be cached. */
const many = 1_010;
const page = { page: 1, limit: 1 };

describe('the total of a large list', () => {
  const clock = new FixedClock(begin);
  const application = TestApplication.forTests(clock);
  let scope: OrganizationScope;
  let records: ScheduleRecord[];

  beforeEach(async () => {
    clock.advance(begin.getTime() - clock.now().getTime());
    scope = newScope();
    const teamOneId = toRecordId(scope.organization.id);
    const longAgo = new Date(begin.getTime() - 60 * minute);
    records = Array.from({ length: many }, (_none, index) => {
      const startDate = new Date(begin.getTime() + (index - 3) * minute);
      const endDate = new Date(startDate.getTime() + 30 * minute);
      return buildScheduleRecord(scope, { teamOneId, startDate, endDate, createdAt: longAgo, updatedAt: longAgo });
    });
    await application.connection.collection('schedules').insertMany(records);
  });

  const repository = (stream?: { isCurrent: boolean }) => cachedSchedules(application, stream);

  const totalOf = async (of: SchedulesRepository, filter: ScheduleFilter) =>
    (await of.findMatching(scope, filter, page)).total;

  /** The total counted by the database, without a cache. */
  const counted = (filter: ScheduleFilter) => totalOf(repository(), filter);

  /** How many counting commands a total needs. */
  async function counts(of: SchedulesRepository, filter: ScheduleFilter): Promise<number> {
    const commands = await captureCommands(application.connection, () => totalOf(of, filter), ['aggregate']);
    return commands.length;
  }

  it('is counted twice, then cached until something of the organization is written', async () => {
    const schedules = repository();
    expect([await counts(schedules, {}), await counts(schedules, {}), await counts(schedules, {})]).toEqual([1, 1, 0]);
    const other = newScope();
    await schedules.insertIdempotent(other, buildScheduleRecord(other, { updatedAt: clock.now() }), undefined, {});
    expect(await counts(schedules, {})).toBe(0);
    const changed = { eventTitle: 'Another', updatedAt: clock.now() };
    await schedules.updateById(scope, String(records[0]?._id), changed);
    expect(await counts(schedules, {})).toBe(1);
    clock.advance(visibilityDelayMilliseconds + 1);
    expect([await counts(schedules, {}), await counts(schedules, {})]).toEqual([1, 0]);
  });

  it('is counted each time while late writes could be missed', async () => {
    const stream = { isCurrent: true };
    const schedules = repository(stream);
    for (let time = 0; time < 3; time++) await totalOf(schedules, {});
    stream.isCurrent = false;
    expect([await counts(schedules, {}), await counts(schedules, {})]).toEqual([1, 1]);
  });

  it('of upcoming records is cached until the next one starts', async () => {
    const schedules = repository();
    const upcoming = () => ({ upcomingAsOf: clock.now() });
    for (let time = 0; time < 2; time++) await totalOf(schedules, upcoming());
    clock.advance(minute - 1);
    expect(await counts(schedules, upcoming())).toBe(0);
    clock.advance(1);
    expect(await counts(schedules, upcoming())).toBe(1);
    expect(await totalOf(schedules, upcoming())).toBe(many - 5);
  });

  it('is counted again after a minute, to include manual changes', async () => {
    const schedules = repository();
    for (let time = 0; time < 3; time++) await totalOf(schedules, {});
    await application.connection.collection('schedules').deleteOne({ ...(records[5] && { _id: records[5]._id }) });
    clock.advance(minute + 1);
    expect(await totalOf(schedules, {})).toBe(many - 1);
  });

  it('is exact on every replica under concurrent writes with late time stamps', async () => {
    const replicas = [repository(), repository()] as const;
    const filters = fc.record(
      {
        upcoming: fc.constantFrom(0, 0, 5 * minute),
        eventType: fc.constant('game' as const),
        startDateFrom: fc.constantFrom(begin, new Date(begin.getTime() + 5 * minute)),
      },
      { requiredKeys: [] },
    );
    const step = fc.oneof(
      fc.record({ kind: fc.constant('list' as const), filter: filters, replica: fc.boolean() }),
      fc.record({ kind: fc.constant('list' as const), filter: fc.constant({ upcoming: 0 }), replica: fc.boolean() }),
      fc.record({
        kind: fc.constant('wait' as const),
        milliseconds: fc.constantFrom(1, minute, visibilityDelayMilliseconds + 1),
      }),
      fc.record({
        kind: fc.constantFrom('create' as const, 'move' as const, 'delete' as const),
        which: fc.nat(many - 1),
        minutes: fc.integer({ min: -20, max: 20 }),
        lag: fc.integer({ min: 0, max: lateWriteMilliseconds }),
        replica: fc.boolean(),
      }),
    );
    let comparisons = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        for (const one of steps) {
          if (one.kind === 'wait') clock.advance(one.milliseconds);
          else if (one.kind === 'list') {
            const { upcoming, ...rest } = one.filter as { upcoming?: number };
            const moment = new Date(clock.now().getTime() - (upcoming ?? 0));
            const filter: ScheduleFilter = { ...rest, ...(upcoming !== undefined && { upcomingAsOf: moment }) };
            expect(await totalOf(replicas[one.replica ? 1 : 0], filter)).toBe(await counted(filter));
            comparisons++;
          } else await write(replicas[one.replica ? 1 : 0], one);
        }
      }),
      { numRuns: 6, seed: 20270501 },
    );
    expect(comparisons).toBeGreaterThan(25);
  });

  interface Write {
    readonly kind: 'create' | 'move' | 'delete';
    readonly which: number;
    readonly minutes: number;
    readonly lag: number;
  }

  async function write(of: SchedulesRepository, { kind, which, minutes, lag }: Write): Promise<void> {
    const updatedAt = new Date(clock.now().getTime() - lag);
    const startDate = new Date(clock.now().getTime() + minutes * minute);
    const id = String(records[which]?._id);
    if (kind === 'move') await of.updateById(scope, id, { startDate, updatedAt });
    else if (kind === 'delete') await of.updateById(scope, id, { deletedAt: updatedAt, updatedAt });
    else {
      const dates = { startDate, endDate: new Date(startDate.getTime() + minute), updatedAt };
      await of.insertIdempotent(scope, buildScheduleRecord(scope, dates), undefined, {});
    }
  }
});

describe('a write that becomes visible long after its time stamp', () => {
  const application = TestApplication.forTests();
  let scope: OrganizationScope;

  beforeAll(async () => {
    scope = newScope();
    const records = Array.from({ length: many }, () => recordUpdated(minute));
    await application.connection.collection('schedules').insertMany(records);
    application.get(ChangeStreamService).start();
  });

  const recordUpdated = (millisecondsAgo: number) =>
    buildScheduleRecord(scope, { updatedAt: new Date(Date.now() - millisecondsAgo) });
  const total = async () => (await application.get(SchedulesRepository).findMatching(scope, {}, page)).total;
  const isCached = async () => (await captureCommands(application.connection, total, ['aggregate'])).length === 0;

  it('is counted immediately, even if the total was cached', async () => {
    const schedules = application.connection.collection('schedules');
    const late = recordUpdated(40_000);
    const { _id } = late;
    const changes: [by: number, write: () => Promise<unknown>][] = [
      [1, () => schedules.insertOne({ ...late })],
      [-1, () => schedules.updateOne({ _id }, { $set: { deletedAt: late.updatedAt, updatedAt: new Date(0) } })],
      [1, () => schedules.replaceOne({ _id }, late)],
      [-1, () => schedules.deleteOne({ _id })],
    ];
    for (const [by, write] of changes) {
      await eventually('the total is cached', isCached);
      const before = await total();
      await write();
      await eventually('the total is exact', async () => (await total()) === before + by);
    }
  });
});
