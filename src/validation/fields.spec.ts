import { errorCatalogue } from '../errors/error-catalogue.js';
import { invalidFieldsOf, rejectionOf, validated } from '../../test/support/validated.js';
import {
  BooleanField,
  ChoiceField,
  EmailField,
  DateField,
  NumberField,
  PasswordField,
  RecordIdField,
  TeamIdField,
  TextField,
  TextListField,
  UrlField,
} from './fields.js';

const options = { description: 'A field.' };

class Thing {
  @TextField({ ...options, max: 5 })
  text?: string;

  @BooleanField(options)
  flag?: boolean;

  @ChoiceField({ ...options, choices: [20, 30] })
  number?: number;

  @ChoiceField({ ...options, choices: ['game', 'practice'] })
  word?: string;

  @NumberField({ ...options, minimum: 1 })
  amount?: number;

  @NumberField({ ...options, minimum: 0, maximum: 60, integer: true })
  seconds?: number;

  @DateField({ ...options, example: '2027-05-01T10:00:00Z' })
  instant?: Date;

  @EmailField(options)
  email?: string;

  @EmailField({ ...options, lowerCase: true })
  login?: string;

  @UrlField(options)
  url?: string;

  @PasswordField(options)
  password?: string;

  @RecordIdField(options)
  id?: string;

  @TeamIdField(options)
  teamId?: string;
}

class ThingQuery {
  @NumberField({ ...options, minimum: 1, maximum: 100, query: true, default: 20 })
  limit = 20;

  @DateField({ ...options, example: '2027-05-01T10:00:00Z', query: true })
  from?: Date;
}

const urlOf = (length: number) => 'https://example.com/'.padEnd(length, 'a');
const emailOf = (length: number) => `${'a'.repeat(64)}@${`${'a'.repeat(61)}.`.repeat(3)}`.padEnd(length, 'a');

describe('a field', () => {
  it.each<[field: string, sent: unknown, kept: unknown]>([
    ['text', ' Hawks ', 'Hawks'],
    ['flag', false, false],
    ['number', 30, 30],
    ['word', 'practice', 'practice'],
    ['amount', 1.5, 1.5],
    ['seconds', 0, 0],
    ['seconds', 60, 60],
    ['instant', '2027-05-01T12:00+02:00', new Date('2027-05-01T10:00:00Z')],
    ['email', ' Dana@Example.com ', 'Dana@Example.com'],
    ['login', ' Dana@Example.com ', 'dana@example.com'],
    ['url', 'https://cdn.example.com/a.png?b=1#c', 'https://cdn.example.com/a.png?b=1#c'],
    ...['http://localhost:3000/%20a', 'https://my_bucket.example.com/', 'https://example.com./', urlOf(2_048)].map(
      (url): [string, string, string] => ['url', url, url],
    ),
    ['email', emailOf(254), emailOf(254)],
    ...['  secret  ', ' '.repeat(8), '🏈'.repeat(200)].map((each): [string, string, string] => [
      'password',
      each,
      each,
    ]),
    ['id', '6650F1F77BCF86CD79943911', '6650f1f77bcf86cd79943911'],
    ['teamId', 'no id at all', 'no id at all'],
  ])('accepts a valid %s: %p', async (field, sent, kept) => {
    expect(await validated(Thing, { [field]: sent })).toEqual({ [field]: kept });
  });

  it.each([
    ...[1, true, {}, ['a'], '', '  ', 'longer', 'a\u0000'].map((value) => ['text', value] as const),
    ...['false', 'true', 0, 1, {}, []].map((value) => ['flag', value] as const),
    ...['30', 25, 30.5, true, [30]].map((value) => ['number', value] as const),
    ...['Game', 'toString', 1, ['game']].map((value) => ['word', value] as const),
    ...['1', 0, -1, true, []].map((value) => ['amount', value] as const),
    ...['30', -1, 61, 1.5, true, []].map((value) => ['seconds', value] as const),
    ...[1_777_629_600_000, '2027-05-01', '2027-02-30T10:00:00Z', {}].map((value) => ['instant', value] as const),
    ...['dana', 'dana@', '@example.com', emailOf(255), 1].map((value) => ['email', value] as const),
    ...[
      'javascript:alert(1)',
      'ftp://example.com',
      '//example.com',
      'https:example.com',
      'https://',
      'https://exa mple.com',
      'https://example.com/ü',
      'https://example.com/%zz',
      urlOf(2_049),
    ].map((value) => ['url', value] as const),
    ...['short', 'a'.repeat(201), 12_345_678].map((value) => ['password', value] as const),
    ...['6650f1f77bcf86cd7994391', '6650f1f77bcf86cd7994391g', '', 1, {}].map((value) => ['id', value] as const),
    ...['', '  ', '\u200b', 1, {}, ['a']].map((value) => ['teamId', value] as const),
  ])('rejects an invalid %s: %p', async (field, value) => {
    const error = await rejectionOf(Thing, { [field]: value });
    expect(error?.entry).toBe(errorCatalogue.invalidField);
    expect(error?.details?.map((problem) => problem.field)).toEqual([field]);
    expect(error?.message).toMatch(new RegExp(`^${field} (must|is not a calendar date)`));
  });

  it.each(Object.keys({ text: 0, flag: 0, number: 0, instant: 0, email: 0, url: 0, id: 0, teamId: 0, amount: 0 }))(
    'rejects null for %s',
    async (field) => {
      expect((await rejectionOf(Thing, { [field]: null }))?.message).toBe(`${field} must not be null`);
    },
  );

  it.each(['1.5', '1e3', ' ', '', '+1', '-1', '0x10', '0', '101', '9'.repeat(20), ['1', '2'], '١'])(
    'rejects a query value that is not a decimal integer in range: %p',
    async (limit) => {
      expect(await invalidFieldsOf(ThingQuery, { limit })).toEqual(['limit']);
    },
  );

  it('converts a query value to a number, and an unescaped plus to an offset', async () => {
    expect(await validated(ThingQuery, { limit: '007' })).toEqual({ limit: 7 });
    expect(await validated(ThingQuery, { from: '2027-05-01T12:00:00 02:00' })).toEqual({
      limit: 20,
      from: new Date('2027-05-01T10:00:00Z'),
    });
    expect(await invalidFieldsOf(ThingQuery, { from: ['2027-05-01T12:00:00Z', '2027-05-02T12:00:00Z'] })).toEqual([
      'from',
    ]);
  });

  it('says that a date is not on the calendar, or what a date-time must be', async () => {
    expect((await rejectionOf(Thing, { instant: '2027-02-29T10:00' }))?.message).toBe('instant is not a calendar date');
    const problem = 'must be an ISO 8601 date-time such as 2027-05-01T10:00:00Z, in the years 1970 to 2199';
    for (const instant of ['2027-02-30', '2027-05-01T24:00:00Z', '2200-01-01T00:00:00Z', 'tomorrow'])
      expect((await rejectionOf(Thing, { instant }))?.message).toBe(`instant ${problem}`);
  });
});

const listOptions = {
  description: 'Colours.',
  example: ['red'],
  maxItems: 3,
  omitTo: 'to take any colour',
  entryProblem: (value: string) => (['red', 'green', 'blue', 'grey'].includes(value) ? undefined : 'must be a colour'),
  items: { maxLength: 5 },
};

class Request {
  @TextListField(listOptions)
  colours?: string[] | null;
}

describe('a list of strings', () => {
  it('accepts one entry up to the maximum, trims each and keeps their order', async () => {
    expect(await validated(Request, { colours: ['red'] })).toEqual({ colours: ['red'] });
    expect(await validated(Request, { colours: ['green', ' red\n', 'blue'] })).toEqual({
      colours: ['green', 'red', 'blue'],
    });
  });

  const tooMany = ['colours must have at most 3 entries'];
  const notAList = ['colours must be an array of strings'];
  it.each<[sent: unknown, problems: string[]]>([
    [[], ['colours must have at least one entry; omit it to take any colour']],
    [['red', 'green', 'blue', 'grey'], tooMany],
    [[1, 2, 3, 4], tooMany],
    ['red', notAList],
    [{ 0: 'red', length: 1 }, notAList],
    [
      ['pink', 'red', 7],
      ['colours[0] must be a colour', 'colours[2] must be a string'],
    ],
    [
      [null, ['red']],
      ['colours[0] must be a string', 'colours[1] must be a string'],
    ],
    [['red', 'blue', ' red '], ['colours[2] must not repeat entry 0']],
  ])('rejects %j, and names each invalid entry by its index', async (colours, problems) => {
    const { message, details } = (await rejectionOf(Request, { colours })) ?? {};
    expect(message).toBe(problems[0]);
    expect(details).toEqual(problems.map((problem) => ({ field: problem.split(' ')[0], message: problem })));
  });
});
