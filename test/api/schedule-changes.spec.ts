import type { OrganizationScope } from '../../src/common/context/request-context.js';
import { newRecordId, type RecordId } from '../../src/database/record.js';
import type { ScheduleChanges } from '../../src/modules/schedules/schedule.update.js';
import type { ScheduleRecord } from '../../src/modules/schedules/schedule.schema.js';
import { SchedulesRepository } from '../../src/modules/schedules/schedules.repository.js';
import { newScope, TestApplication } from '../support/application.js';
import { buildScheduleRecord } from '../support/records.js';

const at = (time: string) => new Date(`2027-05-01T${time}:00.000Z`);

/** A stored schedule is from 10:00 to 10:30. */
describe('a change of a schedule', () => {
  let application: TestApplication;
  let schedules: SchedulesRepository;
  let scope: OrganizationScope;
  let teamId: RecordId;
  let id: RecordId;

  beforeAll(async () => {
    application = await TestApplication.start();
    schedules = application.get(SchedulesRepository);
  });

  afterAll(() => application.stop());

  beforeEach(() => {
    [scope, teamId, id] = [newScope(), newRecordId(), newRecordId()];
  });

  const store = (fields: Partial<ScheduleRecord> = {}) => {
    const record = buildScheduleRecord(scope, { _id: id, teamOneId: teamId, ...fields });
    return schedules.insertOnce(scope, record, undefined, {});
  };
  const change = (changes: ScheduleChanges) => schedules.updateById(scope, String(teamId), String(id), changes);
  const stored = () => application.connection.collection('schedules').findOne({ _id: id });

  it.each(['$startDate', '$$ROOT', '$', '$$NOW', '$organizationId', '{$literal: 1}', 'a.b', '$where'])(
    'stores a text as it is, also one that the database could read as its own: %s',
    async (text) => {
      await store();
      const changed = await change({ eventTitle: text, practiceNote: text, teamTwoName: text });
      expect(changed).toMatchObject({ eventTitle: text, practiceNote: text, teamTwoName: text });
      expect(await stored()).toMatchObject({ eventTitle: text, practiceNote: text, teamTwoName: text });
    },
  );

  it.each([
    ['before the stored end, which stays', '10:20', '10:30'],
    ['earlier, and the end stays', '09:00', '10:30'],
    ['to the stored end, which moves by the same distance', '10:30', '11:00'],
    ['behind the stored end, which moves by the same distance', '12:00', '12:30'],
  ])('moves the beginning alone %s', async (_, begin, end) => {
    await store();
    expect(await change({ startDate: at(begin) })).toMatchObject({ startDate: at(begin), endDate: at(end) });
  });

  it('moves both as they were sent', async () => {
    await store();
    const both = { startDate: at('12:00'), endDate: at('12:05') };
    expect(await change(both)).toMatchObject(both);
  });

  it.each([
    ['after the stored beginning', '10:01', true],
    ['at the stored beginning', '10:00', false],
    ['before the stored beginning', '09:59', false],
  ])('moves the end alone only %s', async (_, end, done) => {
    await store();
    const changed = await change({ endDate: at(end) });
    expect(changed !== null).toBe(done);
    expect(await stored()).toMatchObject({ endDate: done ? at(end) : at('10:30') });
  });

  it('does not move the end when the duration changes', async () => {
    await store();
    expect(await change({ duration: 60 })).toMatchObject({
      duration: 60,
      startDate: at('10:00'),
      endDate: at('10:30'),
    });
  });

  it('never ends before it begins, however two changes at once fall', async () => {
    for (let run = 0; run < 20; run++) {
      id = newRecordId();
      await store();
      await Promise.all([change({ startDate: at('10:25') }), change({ endDate: at('10:10') })]);
      const { startDate, endDate } = (await stored()) as unknown as ScheduleRecord;
      expect(endDate.getTime()).toBeGreaterThan(startDate.getTime());
    }
  });

  it('keeps every one of twenty changes of different fields at once', async () => {
    await store();
    const changes: ScheduleChanges[] = [
      { eventTitle: 'a' },
      { practiceNote: 'b' },
      { duration: 60 },
      { teamFormat: '5v5' },
      { isTestGame: true },
    ];
    await Promise.all([...changes, ...changes, ...changes, ...changes].map(change));
    expect(await stored()).toMatchObject({
      eventTitle: 'a',
      practiceNote: 'b',
      duration: 60,
      teamFormat: '5v5',
      isTestGame: true,
    });
  });

  it('clears a field with null, and leaves what is not named', async () => {
    await store({ practiceNote: 'Bring cones.', fieldSizeInYard: 50 });
    await change({ practiceNote: null, eventTitle: undefined });
    expect(await stored()).not.toHaveProperty('practiceNote');
    expect(await stored()).toMatchObject({ fieldSizeInYard: 50, eventTitle: 'Hawks vs Foxes' });
  });

  it('changes nothing but what is named', async () => {
    await store({ location: { a: { b: '$x' } }, practiceNote: 'x' });
    const before = await stored();
    await change({ duration: 60 });
    expect(await stored()).toEqual({ ...before, duration: 60 });
  });

  it.each([
    ['a practice against itself a game', { eventType: 'practice' }, { eventType: 'game' }, false],
    [
      'a practice against itself a scrimmage',
      { eventType: 'practice' },
      { eventType: 'game', isScrimmage: true },
      true,
    ],
    ['a scrimmage against itself earnest', { isScrimmage: true }, { isScrimmage: false }, false],
    [
      'a scrimmage against itself a practice',
      { isScrimmage: true },
      { eventType: 'practice', isScrimmage: false },
      true,
    ],
    ['a practice against itself no scrimmage', { eventType: 'practice' }, { isScrimmage: false }, true],
  ] as [string, Partial<ScheduleRecord>, ScheduleChanges, boolean][])(
    'makes %s only where the rules allow it',
    async (_, before, changes, done) => {
      await store({ teamTwoId: teamId, ...before });
      expect((await change(changes)) !== null).toBe(done);
    },
  );

  it('makes a practice a game where the opponent is another team, or a guest', async () => {
    await store({ teamTwoId: newRecordId(), eventType: 'practice' });
    expect(await change({ eventType: 'game' })).not.toBeNull();
    id = newRecordId();
    await store({ eventType: 'practice' });
    expect(await change({ eventType: 'game' })).not.toBeNull();
  });

  it('finds no schedule of another team, of another organization, or one that was deleted', async () => {
    await store();
    const changes = { eventTitle: 'changed' };
    expect(await schedules.updateById(scope, String(newRecordId()), String(id), changes)).toBeNull();
    expect(await schedules.updateById(newScope(), String(teamId), String(id), changes)).toBeNull();
    await change({ deletedAt: new Date() });
    expect(await change(changes)).toBeNull();
    expect(await stored()).toMatchObject({ eventTitle: 'Hawks vs Foxes' });
  });
});
