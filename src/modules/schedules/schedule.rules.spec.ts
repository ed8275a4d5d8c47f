import { withDefaults } from '../../common/validation/dto.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { CreateSchedule, type UpdateSchedule } from './schedule.dto.js';
import type { Schedule } from './schedule.schema.js';
import {
  computeDates,
  computeEnd,
  computeFieldSize,
  formatTitle,
  getDependencies,
  validateCreate,
  validateUpdate,
  validateWithStored,
} from './schedule.rules.js';

const ten = new Date('2027-05-01T10:00:00Z');
const twentyPastTen = new Date('2027-05-01T10:20:00Z');
const halfPastTen = new Date('2027-05-01T10:30:00Z');
const eleven = new Date('2027-05-01T11:00:00Z');
const hawks = '6650f1f77bcf86cd79943941';
const create = (fields: Partial<CreateSchedule>) =>
  withDefaults(CreateSchedule, { teamId: hawks, startDate: ten, ...fields });
const fieldsOf = (problems: { field: string }[]) => problems.map(({ field }) => field);

describe('creating a schedule', () => {
  it.each([
    ['an end before the start', { startDate: eleven, endDate: ten }, ['endDate']],
    ['an end at the start', { endDate: ten }, ['endDate']],
    ['an end after the start', { endDate: eleven }, []],
    ['limited overtime without a duration', { overtimeType: 'limited' }, ['overtimeDuration']],
    ['limited overtime with a duration', { overtimeType: 'limited', overtimeDuration: 1.5 }, []],
    ['a duration of unlimited overtime', { overtimeDuration: 10 }, []],
    ['yardage without a field size', { enableYardage: true }, []],
    ['a field size without yardage', { fieldSizeInYard: 50 }, []],
    ['a game against itself', { teamTwoId: hawks }, ['teamTwoId']],
    ['a game against itself in upper case', { teamTwoId: hawks.toUpperCase() }, ['teamTwoId']],
    ['a practice against itself', { teamTwoId: hawks, eventType: 'practice' }, []],
    ['a scrimmage against itself', { teamTwoId: hawks, isScrimmage: true }, []],
    ['two problems at once', { endDate: ten, overtimeType: 'limited' }, ['endDate', 'overtimeDuration']],
  ] as [string, Partial<CreateSchedule>, string[]][])('with %s', (_, fields, wrong) => {
    expect(fieldsOf(validateCreate(create(fields)))).toEqual(wrong);
  });

  it('ends as sent, or duration minutes after the start', () => {
    expect(computeEnd(create({ endDate: eleven, duration: 20 }))).toEqual(eleven);
    expect(computeEnd(create({}))).toEqual(new Date('2027-05-01T10:30:00Z'));
    expect(computeEnd(create({ duration: 60 }))).toEqual(eleven);
  });

  it('has the sent field size, 50 yards if yards are tracked, otherwise none', () => {
    expect(computeFieldSize(create({}))).toBeUndefined();
    expect(computeFieldSize(create({ enableYardage: true }))).toBe(50);
    expect(computeFieldSize(create({ enableYardage: true, fieldSizeInYard: 80 }))).toBe(80);
    expect(computeFieldSize(create({ fieldSizeInYard: 80 }))).toBe(80);
  });

  it('is titled by the teams, or as a practice', () => {
    expect(formatTitle('game', 'Hawks', 'Foxes')).toBe('Hawks vs Foxes');
    expect(formatTitle('practice', 'Hawks', 'Foxes')).toBe('Hawks practice');
  });
});

describe('updating a schedule', () => {
  it.each([
    ['yardage without a field size', { enableYardage: true }, ['fieldSizeInYard']],
    ['yardage with a field size', { enableYardage: true, fieldSizeInYard: 50 }, []],
    ['yardage turned off', { enableYardage: false }, []],
    ['limited overtime without a duration', { overtimeType: 'limited' }, ['overtimeDuration']],
    ['an end before the start, both sent', { startDate: eleven, endDate: ten }, ['endDate']],
    ['a start alone', { startDate: eleven }, []],
    ['nothing', {}, []],
  ] as [string, Partial<UpdateSchedule>, string[]][])('with %s', (_, fields, wrong) => {
    expect(fieldsOf(validateUpdate({ teamId: hawks, ...fields }))).toEqual(wrong);
  });

  const stored = {
    teamOneId: toRecordId(hawks),
    teamTwoId: toRecordId(hawks),
    eventType: 'practice',
    isScrimmage: false,
    startDate: ten,
    endDate: halfPastTen,
  };

  it.each([
    ['an end at the stored start', { endDate: ten }, {}, ['endDate']],
    ['an end after the stored start', { endDate: eleven }, {}, []],
    ['an end sent with a start', { startDate: ten, endDate: eleven }, {}, []],
    ['an end that moves beyond 2199', { startDate: new Date('2199-12-31T23:30:00Z') }, {}, ['startDate']],
    ['an end that moves to the end of 2199', { startDate: new Date('2199-12-31T23:29:59.999Z') }, {}, []],
    ['a practice against itself that becomes a game', { eventType: 'game' }, {}, ['teamTwoId']],
    ['a practice against itself that becomes a scrimmage', { eventType: 'game', isScrimmage: true }, {}, []],
    ['a practice against itself that is no scrimmage', { isScrimmage: false }, {}, []],
    [
      'a scrimmage against itself that becomes a practice',
      { eventType: 'practice', isScrimmage: false },
      { eventType: 'game', isScrimmage: true },
      [],
    ],
    [
      'a scrimmage against itself that becomes a regular game',
      { isScrimmage: false },
      { eventType: 'game', isScrimmage: true },
      ['teamTwoId'],
    ],
    ['another opponent', { eventType: 'game' }, { teamTwoId: newRecordId() }, []],
    ['a guest', { eventType: 'game' }, { teamTwoId: undefined }, []],
  ] as [string, Partial<UpdateSchedule>, object, string[]][])(
    'against the stored schedule with %s',
    (_, fields, before, wrong) => {
      expect(fieldsOf(validateWithStored(fields, { ...stored, ...before } as Schedule))).toEqual(wrong);
    },
  );

  it.each([
    ['keeps the end if it is after a new start', { startDate: twentyPastTen }, twentyPastTen, halfPastTen],
    ['moves the end with a start at the stored end', { startDate: halfPastTen }, halfPastTen, eleven],
    ['keeps the start if only the end is sent', { endDate: eleven }, ten, eleven],
    ['uses both dates as sent', { startDate: twentyPastTen, endDate: eleven }, twentyPastTen, eleven],
  ])('%s', (_, sent, startDate, endDate) => {
    expect(computeDates(sent, stored)).toEqual({ startDate, endDate });
  });

  it('computes no dates if none is sent', () => {
    expect(computeDates({}, stored)).toBeUndefined();
  });

  it.each([
    ['the start', { startDate: eleven }, ['startDate', 'endDate']],
    ['the end', { endDate: eleven }, ['startDate', 'endDate']],
    ['both dates', { startDate: ten, endDate: eleven }, []],
    ['the event type to game', { eventType: 'game' }, ['teamTwoId', 'eventType', 'isScrimmage']],
    ['the scrimmage to a regular game', { isScrimmage: false }, ['teamTwoId', 'eventType', 'isScrimmage']],
    ['the event type to practice', { eventType: 'practice' }, []],
    ['the title', { eventTitle: 'Final' }, []],
  ] as [string, Partial<UpdateSchedule>, string[]][])('of %s depends on these stored fields', (_, fields, expected) => {
    expect(getDependencies(fields)).toEqual(expected);
  });
});
