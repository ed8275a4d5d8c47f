import { withDefaults } from '../../common/validation/dto.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { CreateSchedule, type UpdateSchedule } from './schedule.dto.js';
import type { Schedule } from './schedule.schema.js';
import {
  endOf,
  fieldSizeOf,
  problemsOfCreate,
  problemsOfUpdate,
  problemsWithStored,
  titleOf,
} from './schedule.rules.js';

const ten = new Date('2027-05-01T10:00:00Z');
const eleven = new Date('2027-05-01T11:00:00Z');
const hawks = '6650f1f77bcf86cd79943941';
const create = (fields: Partial<CreateSchedule>) =>
  withDefaults(CreateSchedule, { teamId: hawks, startDate: ten, ...fields });
const fieldsOf = (problems: { field: string }[]) => problems.map(({ field }) => field);

describe('a schedule that is created', () => {
  it.each([
    ['an end before the beginning', { startDate: eleven, endDate: ten }, ['endDate']],
    ['an end at the beginning', { endDate: ten }, ['endDate']],
    ['an end after the beginning', { endDate: eleven }, []],
    ['limited overtime without its length', { overtimeType: 'limited' }, ['overtimeDuration']],
    ['limited overtime with its length', { overtimeType: 'limited', overtimeDuration: 1.5 }, []],
    ['a length of unlimited overtime', { overtimeDuration: 10 }, []],
    ['yardage without a field size', { enableYardage: true }, []],
    ['a field size without yardage', { fieldSizeInYard: 50 }, []],
    ['a game against itself', { teamTwoId: hawks }, ['teamTwoId']],
    ['a game against itself in capitals', { teamTwoId: hawks.toUpperCase() }, ['teamTwoId']],
    ['a practice against itself', { teamTwoId: hawks, eventType: 'practice' }, []],
    ['a scrimmage against itself', { teamTwoId: hawks, isScrimmage: true }, []],
    ['two faults at once', { endDate: ten, overtimeType: 'limited' }, ['endDate', 'overtimeDuration']],
  ] as [string, Partial<CreateSchedule>, string[]][])('is judged with %s', (_, fields, wrong) => {
    expect(fieldsOf(problemsOfCreate(create(fields)))).toEqual(wrong);
  });

  it('ends as sent, else its duration in minutes after its beginning', () => {
    expect(endOf(create({ endDate: eleven, duration: 20 }))).toEqual(eleven);
    expect(endOf(create({}))).toEqual(new Date('2027-05-01T10:30:00Z'));
    expect(endOf(create({ duration: 60 }))).toEqual(eleven);
  });

  it('has the size of field that was sent, 50 yards where yards are counted, else none', () => {
    expect(fieldSizeOf(create({}))).toBeUndefined();
    expect(fieldSizeOf(create({ enableYardage: true }))).toBe(50);
    expect(fieldSizeOf(create({ enableYardage: true, fieldSizeInYard: 80 }))).toBe(80);
    expect(fieldSizeOf(create({ fieldSizeInYard: 80 }))).toBe(80);
  });

  it('is titled by who plays whom, or who practises', () => {
    expect(titleOf('game', 'Hawks', 'Foxes')).toBe('Hawks vs Foxes');
    expect(titleOf('practice', 'Hawks', 'Foxes')).toBe('Hawks practice');
  });
});

describe('a schedule that is changed', () => {
  it.each([
    ['yardage without a field size', { enableYardage: true }, ['fieldSizeInYard']],
    ['yardage with a field size', { enableYardage: true, fieldSizeInYard: 50 }, []],
    ['no yardage any more', { enableYardage: false }, []],
    ['limited overtime without its length', { overtimeType: 'limited' }, ['overtimeDuration']],
    ['an end before the beginning that is sent with it', { startDate: eleven, endDate: ten }, ['endDate']],
    ['a beginning alone', { startDate: eleven }, []],
    ['nothing', {}, []],
  ] as [string, Partial<UpdateSchedule>, string[]][])('is judged with %s', (_, fields, wrong) => {
    expect(fieldsOf(problemsOfUpdate({ teamId: hawks, ...fields }))).toEqual(wrong);
  });

  const stored = {
    teamOneId: toRecordId(hawks),
    teamTwoId: toRecordId(hawks),
    eventType: 'practice',
    isScrimmage: false,
    startDate: ten,
  };

  it.each([
    ['an end at the stored beginning', { endDate: ten }, {}, ['endDate']],
    ['an end after the stored beginning', { endDate: eleven }, {}, []],
    ['an end with a beginning of its own', { startDate: ten, endDate: eleven }, {}, []],
    ['a practice against itself that becomes a game', { eventType: 'game' }, {}, ['teamTwoId']],
    ['a practice against itself that becomes a scrimmage', { eventType: 'game', isScrimmage: true }, {}, []],
    [
      'a scrimmage against itself that becomes earnest',
      { isScrimmage: false },
      { eventType: 'game', isScrimmage: true },
      ['teamTwoId'],
    ],
    ['another opponent', { eventType: 'game' }, { teamTwoId: newRecordId() }, []],
  ] as [string, Partial<UpdateSchedule>, object, string[]][])(
    'is judged against what is stored with %s',
    (_, fields, before, wrong) => {
      expect(fieldsOf(problemsWithStored(fields, { ...stored, ...before } as Schedule))).toEqual(wrong);
    },
  );
});
