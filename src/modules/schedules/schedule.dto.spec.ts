import { invalidFieldsOf, validated } from '../../../test/support/validated.js';
import { CreateSchedule, UpdateSchedule } from './schedule.dto.js';

const create = { teamId: '6650f1f77bcf86cd79943941', startDate: '2027-05-01T10:00:00Z', teamTwoName: 'Foxes' };
const types = { POST: CreateSchedule, PATCH: UpdateSchedule };
type Method = keyof typeof types;

const bodyOf = (method: Method, fields: object) => ({
  ...(method === 'POST' ? create : { teamId: create.teamId }),
  ...fields,
});
const validate = (method: Method, fields: object) => validated(types[method], bodyOf(method, fields));
const invalidFields = (method: Method, fields: object) => invalidFieldsOf(types[method], bodyOf(method, fields));

const noBoolean = ['true', '', 0, 1, [], {}];
const noText = (max: number) => [5, true, [], {}, 'a\u0000', 'x'.repeat(max + 1)];
const noInstant = [0, 1_809_165_600_000, true, [], {}, '2027-05-01'];
const texts = (max: number) => ['x'.repeat(max), '🏈'.repeat(max), '<b>{{$name}}</b>'];

/** The values that each field accepts and rejects, in the words of the contract. */
const fields: [field: string, accepted: unknown[], rejected: unknown[]][] = [
  ['eventType', ['game', 'practice'], ['GAME', 'scrimmage', ' game', '', 1, ['game']]],
  ['duration', [20, 24, 30, 40, 48, 50, 60], ['30', 30.5, 31, 0, -30, [30]]],
  ['matchupFormat', ['halves', 'quarters', 'runningClock'], ['Halves', 'thirds', '', 2]],
  ['teamFormat', ['4v4', '5v5', '6v6', '7v7', '8v8', '9v9', '11v11'], ['7V7', '10v10', '3v3', '', 7]],
  ['fieldSizeInYard', [30, 40, 45, 50, 60, 64, 70, 80, 100], ['50', 55, 0, -50, 120]],
  ['overtimeType', ['limited', 'unlimited'], ['Limited', 'none', '', 0]],
  ['overtimeDuration', [1, 1.5, 1_000], ['10', 0, 0.99, -1, true, Infinity]],
  ['isTestGame', [true, false], noBoolean],
  ['isScrimmage', [true, false], noBoolean],
  ['enableYardage', [true, false], noBoolean],
  ['allowZeroYardStart', [true, false], noBoolean],
  ['teamTwoName', texts(120), [...noText(120), 'a\nb']],
  ['locationName', ['', ...texts(200)], [...noText(200), 'a\nb']],
  ['placeId', ['', ...texts(200)], [...noText(200), 'a\nb']],
  ['tournamentId', ['', ...texts(100)], [...noText(100), 'a\nb']],
  ['practiceNote', ['', 'Bring:\n\t- cones', ...texts(2_000)], noText(2_000)],
  ['location', ['Park', { latitude: 37.8 }], [5, [], { $where: 1 }]],
  ['startDate', [], noInstant],
  ['endDate', [], noInstant],
  ['teamTwoId', ['any text'], [5, true, [], {}, ' ']],
  ['status', ['scheduled', 'postponed', 'cancelled', 'final', 'forfeited'], ['played', 'Final', '', 1]],
  ['teamOneScore', [0, 999], ['7', 1_000, -1, 1.5]],
  ['forfeitedBy', ['teamOne', 'teamTwo', 'both'], ['teamThree', '', 1]],
  [
    'timeZone',
    ['America/Denver', 'UTC', 'US/Pacific', 'Europe/Kyiv', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires'],
    [
      'America/Atlantis',
      '+02:00',
      '',
      5,
      'BST',
      'AST',
      'EST',
      'PST',
      'GMT+5',
      'SystemV/EST5',
      'US/Pacific-New',
      'Zulu',
    ],
  ],
];
const unknownFields = ['startTime', 'isRecurring', 'createdBy', 'deletedAt', 'TeamId', 'toString', '$set'];

describe.each<Method>(['POST', 'PATCH'])('a %s of a schedule', (method) => {
  it.each(fields)('accepts and rejects values of %s', async (field, accepted, rejected) => {
    for (const value of accepted) expect(await validate(method, { [field]: value })).toMatchObject({ [field]: value });
    for (const value of rejected)
      expect(await invalidFields(method, { teamTwoName: 'Foxes', teamTwoId: 'x', [field]: value })).toEqual([field]);
  });

  it.each([
    ['america/denver', 'America/Denver'],
    [' utc ', 'UTC'],
    ['AMERICA/PORT-AU-PRINCE', 'America/Port-au-Prince'],
    ['antarctica/dumontdurville', 'Antarctica/DumontDUrville'],
  ])('stores the time zone %j as IANA writes it', async (sent, timeZone) => {
    expect(await validate(method, { timeZone: sent })).toMatchObject({ timeZone });
  });

  it.each(['startDate', 'endDate'])(
    'rejects a local time in %s beside a time zone, which would be read as UTC',
    async (field) => {
      const local = '2027-05-01T18:00';
      for (const timeZone of ['America/Denver', 'UTC'])
        expect(await invalidFields(method, { teamTwoName: 'Foxes', [field]: local, timeZone })).toEqual([field]);
      for (const offset of ['Z', '-06:00', '-0600', '-06'])
        expect(await validate(method, { [field]: local + offset, timeZone: 'UTC' })).toHaveProperty(
          field,
          expect.any(Date),
        );
      expect(await validate(method, { [field]: local })).toHaveProperty(field, expect.any(Date));
    },
  );

  it('rejects unknown fields, and those that the server sets', async () => {
    const fixed = ['_id', 'organizationId', 'teamOneId', 'createdAt', 'updatedAt', 'revision'];
    for (const field of [...unknownFields, ...fixed])
      expect(await invalidFields(method, { [field]: 'x' })).toEqual([field]);
  });
});

describe('null', () => {
  const texts = ['locationName', 'placeId', 'location', 'practiceNote', 'tournamentId', 'teamTwoId', 'externalId'];
  const clearable = [...texts, 'teamOneScore', 'forfeitedBy', 'timeZone'];
  const computed = ['endDate', 'eventTitle', 'teamTwoName'];

  it('clears optional fields and computes others in a PATCH only', async () => {
    const names = fields.map(([field]) => field);
    for (const field of new Set([...names, 'eventTitle', 'externalId'])) {
      const isTaken = (await invalidFields('PATCH', { [field]: null })) === undefined;
      expect({ field, isTaken }).toEqual({ field, isTaken: [...clearable, ...computed].includes(field) });
    }
    for (const field of names)
      expect(await invalidFields('POST', { teamTwoName: 'Foxes', teamTwoId: 'x', [field]: null })).toEqual([field]);
  });
});

describe('a title', () => {
  it('is a text of at most 255 characters that only a PATCH sets', async () => {
    for (const eventTitle of texts(255)) expect(await validate('PATCH', { eventTitle })).toMatchObject({ eventTitle });
    for (const eventTitle of [...noText(255), ' '])
      expect(await invalidFields('PATCH', { eventTitle })).toEqual(['eventTitle']);
    expect(await invalidFields('POST', { eventTitle: 'Final' })).toEqual(['eventTitle']);
  });
});
