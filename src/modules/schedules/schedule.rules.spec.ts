import { newRecordId, toRecordId } from '../../database/record.js';
import type { TeamRef } from '../teams/teams.service.js';
import { CreateSchedule, type UpdateSchedule } from './schedule.dto.js';
import type { Schedule } from './schedule.schema.js';
import {
  buildChanges,
  buildRecord,
  changesAsSent,
  dependsOnStored,
  validateCreate,
  validateUpdate,
} from './schedule.rules.js';
import { timeBucketOf } from './time-bucket.js';

const ten = new Date('2027-05-01T10:00:00Z');
const twentyPastTen = new Date('2027-05-01T10:20:00Z');
const halfPastTen = new Date('2027-05-01T10:30:00Z');
const eleven = new Date('2027-05-01T11:00:00Z');
const [hawks, foxes, wolves] = [
  '6650f1f77bcf86cd79943941',
  '6650f1f77bcf86cd79943942',
  '6650f1f77bcf86cd79943943',
] as const;
const names: Readonly<Record<string, string>> = { [hawks]: 'Hawks', [foxes]: 'Foxes', [wolves]: 'Wolves' };
const season = newRecordId();
const team = (id: string, name: string): TeamRef => ({
  id,
  name,
  formerNames: [],
  seasonAt: () => season,
});
const owner = team(hawks, 'Hawks');
/** The stored fields of a game against the linked team Foxes. */
const game = { eventType: 'game', teamTwoId: toRecordId(foxes), teamTwoName: 'Foxes' } as const;
const generated = { ...game, eventTitle: 'Hawks vs Foxes' };
const create = (fields: Partial<CreateSchedule>) =>
  Object.assign(new CreateSchedule(), { teamId: hawks, startDate: ten, ...fields });
const fieldsOf = (problems: { field: string }[]) => problems.map(({ field }) => field);

describe('creating a schedule', () => {
  it.each([
    ['an end before the start', { startDate: eleven, endDate: ten }, ['endDate']],
    ['an end at the start', { endDate: ten }, ['endDate']],
    ['an end after the start', { endDate: eleven }, []],
    ['limited overtime without a duration', { overtimeType: 'limited' }, ['overtimeDuration']],
    ['limited overtime with a duration', { overtimeType: 'limited', overtimeDuration: 1.5 }, []],
    ['yardage without a field size', { enableYardage: true }, []],
    ['a game against itself', { teamTwoId: hawks }, ['teamTwoId']],
    ['a game against itself in upper case', { teamTwoId: hawks.toUpperCase() }, ['teamTwoId']],
    ['a practice against itself', { teamTwoId: hawks, eventType: 'practice' }, []],
    ['a scrimmage against itself', { teamTwoId: hawks, isScrimmage: true }, []],
    ['two problems at once', { endDate: ten, overtimeType: 'limited' }, ['endDate', 'overtimeDuration']],
  ] as [string, Partial<CreateSchedule>, string[]][])('with %s', (_, fields, wrong) => {
    expect(fieldsOf(validateCreate(create(fields)))).toEqual(wrong);
  });

  const built = (fields: Partial<CreateSchedule> = {}) => {
    const { teamTwoId } = fields;
    return buildRecord(create(fields), teamTwoId === undefined ? [owner] : [owner, team(teamTwoId, 'Foxes')]);
  };

  it('ends as sent, or duration minutes after the start', () => {
    expect(built({ endDate: eleven, duration: 20 }).endDate).toEqual(eleven);
    expect(built().endDate).toEqual(halfPastTen);
    expect(built({ duration: 60 }).endDate).toEqual(eleven);
    expect(built({ duration: 60 }).timeBucket).toBe(timeBucketOf({ startDate: ten, endDate: eleven }));
  });

  it('has the sent field size, 50 yards if yards are tracked, otherwise none', () => {
    expect(built()).not.toHaveProperty('fieldSizeInYard');
    expect(built({ enableYardage: true }).fieldSizeInYard).toBe(50);
    expect(built({ enableYardage: true, fieldSizeInYard: 80 }).fieldSizeInYard).toBe(80);
    expect(built({ fieldSizeInYard: 80 }).fieldSizeInYard).toBe(80);
  });

  it('is titled by the teams, or as a practice', () => {
    expect(built({ teamTwoName: 'Guests' }).eventTitle).toBe('Hawks vs Guests');
    expect(built({ teamTwoId: foxes }).eventTitle).toBe('Hawks vs Foxes');
    expect(built({ teamTwoName: 'Guests', eventType: 'practice' }).eventTitle).toBe('Hawks practice');
  });

  it('has the IDs of its teams and the sent name of the opponent, or else that of the linked team', () => {
    const linked = built({ teamTwoId: foxes });
    expect([String(linked.teamOneId), String(linked.teamTwoId), linked.teamTwoName]).toEqual([hawks, foxes, 'Foxes']);
    expect(linked).not.toHaveProperty('teamId');
    expect(built({ teamTwoId: foxes, teamTwoName: 'The Foxes' }).teamTwoName).toBe('The Foxes');
    expect(built({ teamTwoName: 'Guests' })).not.toHaveProperty('teamTwoId');
  });
});

describe('updating a schedule', () => {
  it.each([
    ['yardage without a field size', { enableYardage: true }, ['fieldSizeInYard']],
    ['yardage with a field size', { enableYardage: true, fieldSizeInYard: 50 }, []],
    ['a start alone', { startDate: eleven }, []],
    ['a computed end', { startDate: eleven, endDate: null }, []],
    ['nothing', {}, []],
  ] as [string, Partial<UpdateSchedule>, string[]][])('with %s', (_, fields, wrong) => {
    expect(fieldsOf(validateUpdate({ teamId: hawks, ...fields }))).toEqual(wrong);
  });

  const stored = {
    teamOneId: toRecordId(hawks),
    teamTwoId: toRecordId(hawks),
    teamTwoName: 'Hawks',
    eventType: 'practice',
    eventTitle: 'Stored',
    isScrimmage: false,
    startDate: ten,
    endDate: halfPastTen,
    duration: 30,
  };

  /** Builds the changes of a request; the organization's teams are Hawks, the owner, and Foxes. */
  const build = (fields: Partial<UpdateSchedule>, before: object = {}) => {
    const { teamTwoId } = fields;
    const opponent = typeof teamTwoId === 'string' ? [team(teamTwoId, names[teamTwoId] ?? '')] : [];
    return buildChanges(fields, { ...stored, ...before } as Schedule, [owner, ...opponent]);
  };
  /** The changes that are stored, by field. */
  const stores = (fields: Partial<UpdateSchedule>, before: object = {}) => {
    const { changes } = build(fields, before);
    return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  };

  it.each([
    ['an end at the stored start', { endDate: ten }, {}, ['endDate']],
    ['an end after the stored start', { endDate: eleven }, {}, []],
    ['an end that moves beyond 2199', { startDate: new Date('2199-12-31T23:30:00Z') }, {}, ['startDate']],
    ['an end that moves to the end of 2199', { startDate: new Date('2199-12-31T23:29:59.999Z') }, {}, []],
    ['a computed end beyond 2199', { startDate: new Date('2199-12-31T23:30:00Z'), endDate: null }, {}, ['startDate']],
    ['a practice against itself that becomes a game', { eventType: 'game' }, {}, ['teamTwoId']],
    ['a practice against itself that becomes a scrimmage', { eventType: 'game', isScrimmage: true }, {}, []],
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
    ['a game that is relinked to itself', { teamTwoId: hawks }, { ...game, teamTwoId: undefined }, ['teamTwoId']],
    ['a game that becomes a scrimmage against itself', { teamTwoId: hawks, isScrimmage: true }, game, []],
    ['a practice against itself that becomes a game of others', { teamTwoId: foxes, eventType: 'game' }, {}, []],
  ] as [string, Partial<UpdateSchedule>, object, string[]][])(
    'against the stored schedule with %s',
    (_, fields, before, wrong) => {
      expect(fieldsOf(build(fields, before).problems)).toEqual(wrong);
    },
  );

  it.each([
    ['keeps the end if it is after a new start', { startDate: twentyPastTen }, twentyPastTen, halfPastTen],
    ['moves the end with a start at the stored end', { startDate: halfPastTen }, halfPastTen, eleven],
    ['keeps the start if only the end is sent', { endDate: eleven }, ten, eleven],
    ['uses both dates as sent', { startDate: twentyPastTen, endDate: eleven }, twentyPastTen, eleven],
    ['computes the end from what is stored', { endDate: null }, ten, halfPastTen],
    ['computes the end from a sent start', { startDate: halfPastTen, endDate: null }, halfPastTen, eleven],
    ['computes the end from a sent duration', { duration: 60, endDate: null }, ten, eleven],
    [
      'computes the end from a sent start and duration',
      { startDate: halfPastTen, duration: 60, endDate: null },
      halfPastTen,
      new Date('2027-05-01T11:30:00Z'),
    ],
  ])('%s', (_, sent, startDate, endDate) => {
    const isMoved = startDate !== ten || endDate !== halfPastTen;
    const timeBucket = isMoved && { timeBucket: timeBucketOf({ startDate, endDate }) };
    expect(stores(sent)).toEqual({ ...sent, startDate, endDate, season, ...timeBucket });
  });

  it('computes an end that differs from the duration, and keeps it without null', () => {
    const long = { endDate: eleven };
    expect(stores({ endDate: null }, long)['endDate']).toEqual(halfPastTen);
    expect(stores({ duration: 60 }, long)).toEqual({ duration: 60 });
  });

  it.each([
    ['the generated title of a practice', { eventTitle: null }, {}, 'Hawks practice'],
    ['the generated title of a game', { eventTitle: null }, game, 'Hawks vs Foxes'],
    ['the title of the sent event type', { eventTitle: null, eventType: 'practice' }, game, 'Hawks practice'],
    ['the title of the sent name', { eventTitle: null, teamTwoName: 'Guests' }, game, 'Hawks vs Guests'],
    ['the title of the sent opponent', { eventTitle: null, teamTwoId: wolves }, game, 'Hawks vs Wolves'],
    ['the stored name if the opponent is unlinked', { eventTitle: null, teamTwoId: null }, game, 'Hawks vs Foxes'],
    ['the sent title', { eventTitle: 'Final', teamTwoId: wolves }, game, 'Final'],
    ['a title that was set, if the opponent changes', { teamTwoId: wolves }, game, 'Stored'],
    ['the title of a new opponent', { teamTwoId: wolves }, generated, 'Hawks vs Wolves'],
    ['the title of a new name', { teamTwoName: 'Guests' }, generated, 'Hawks vs Guests'],
    ['the title of a new event type', { eventType: 'practice' }, generated, 'Hawks practice'],
    ['no other title of the same opponent', { teamTwoId: foxes, startDate: eleven }, generated, undefined],
  ])('stores %s', (_, sent, before, title) => {
    expect(stores(sent as Partial<UpdateSchedule>, before)['eventTitle']).toBe(title);
  });

  it.each([
    ['a new opponent with its name', { teamTwoId: wolves }, game, wolves, 'Wolves'],
    ['a new opponent with the sent name', { teamTwoId: wolves, teamTwoName: 'Pack' }, game, wolves, 'Pack'],
    ['the first opponent with its name', { teamTwoId: foxes }, { ...game, teamTwoId: undefined }, foxes, 'Foxes'],
    [
      'the same opponent without another name',
      { teamTwoId: foxes },
      { ...game, teamTwoName: 'Pack' },
      foxes,
      undefined,
    ],
    ['only a sent name', { teamTwoName: 'Pack' }, game, undefined, 'Pack'],
    ['no opponent and keeps its name', { teamTwoId: null }, game, null, undefined],
    ['no opponent and the name of a guest', { teamTwoId: null, teamTwoName: 'Pack' }, game, null, 'Pack'],
  ])('stores %s', (_, sent, before, id, name) => {
    const changes = stores(sent, before);
    expect(changes['teamTwoId']).toEqual(typeof id === 'string' ? toRecordId(id) : id);
    expect(changes['teamTwoName']).toBe(name);
  });

  it('without the stored schedule stores what was sent', () => {
    const sent = { locationName: null, tournamentId: 'cup', duration: 60 } as const;
    expect(changesAsSent(sent, owner)).toEqual(sent);
  });

  it('without the stored schedule computes the season and the time bucket of both sent dates', () => {
    const dates = { startDate: twentyPastTen, endDate: eleven };
    expect(changesAsSent(dates, owner)).toEqual({ ...dates, season, timeBucket: timeBucketOf(dates) });
  });

  it.each([
    ['the start', { startDate: eleven }, true],
    ['both dates', { startDate: ten, endDate: eleven }, false],
    ['the end to a computed one', { endDate: null }, true],
    ['the event type to game', { eventType: 'game' }, true],
    ['the scrimmage to a regular game', { isScrimmage: false }, true],
    ['the opponent', { teamTwoId: foxes }, true],
    ['the title to the generated one', { eventTitle: null }, true],
    ['the status', { status: 'final' }, true],
    ['the time zone', { timeZone: 'America/Denver' }, false],
    ["the opponent's name", { teamTwoName: 'Guests' }, true],
    ['the place', { locationName: 'Park', placeId: 'x', location: 'Park', tournamentId: null }, false],
  ] as [string, Partial<UpdateSchedule>, boolean][])('of %s depends on stored fields: %j %s', (_, fields, depends) => {
    expect(dependsOnStored(fields)).toBe(depends);
  });
});
