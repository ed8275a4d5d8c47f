import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { Field, RequiresOneOf } from './field.js';
import {
  BooleanField,
  ChoiceField,
  EmailField,
  DateField,
  NestedField,
  NumberField,
  PasswordField,
  RecordIdField,
  TeamIdField,
  TextField,
  UrlField,
} from './fields.js';
import { InputValidationPipe } from './validation.pipe.js';

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

class CreateThing extends Thing {
  @TextField({ ...options, max: 5, required: true })
  override text!: string;

  @ChoiceField({ ...options, choices: ['game', 'practice'], default: 'game' })
  override word!: string;
}

class UpdateThing extends Thing {
  @TextField({ ...options, max: 5, nullable: true })
  override text?: string;
}

@RequiresOneOf(['text', 'other'], 'opponentMissing')
class EitherThing extends Thing {
  @TextField({ ...options, max: 5 })
  other?: string;
}

class ThingQuery {
  @NumberField({ ...options, minimum: 1, maximum: 100, query: true, default: 20 })
  limit!: number;

  @DateField({ ...options, example: '2027-05-01T10:00:00Z', query: true })
  from?: Date;
}

/** Has a value of any shape and a nested object. */
class Large {
  @Field({ ...options, problem: () => 'must be right', schema: { type: Object } })
  anything?: unknown;

  @NestedField({ type: Thing, description: 'A part.' })
  part?: Thing;
}

class CreateLarge {
  @NestedField({ type: Thing, description: 'A part.', required: true })
  part!: Thing;
}

const urlOf = (length: number) => 'https://example.com/'.padEnd(length, 'a');
const emailOf = (length: number) => `${'a'.repeat(64)}@${`${'a'.repeat(61)}.`.repeat(3)}`.padEnd(length, 'a');

const pipe = new InputValidationPipe();
const validate = (metatype: new () => object, value: unknown) =>
  pipe.transform(value, { type: 'body', metatype }) as Record<string, unknown>;

function rejectionOf(metatype: new () => object, value: unknown): ServiceError {
  try {
    validate(metatype, value);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error(`It was accepted: ${JSON.stringify(value)}`);
}

const invalidFieldsOf = (metatype: new () => object, value: unknown) =>
  rejectionOf(metatype, value).details?.map(({ field }) => field);

describe('the validation pipe', () => {
  it('returns an instance of the class with the sent fields only', () => {
    const input = validate(Thing, { text: 'a' });
    expect(input).toBeInstanceOf(Thing);
    expect(Object.keys(input)).toEqual(['text']);
    expect(Object.keys(validate(UpdateThing, {}))).toEqual([]);
  });

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
    ['password', '  secret  ', '  secret  '],
    ['id', '6650F1F77BCF86CD79943911', '6650f1f77bcf86cd79943911'],
    ['teamId', 'no id at all', 'no id at all'],
  ])('accepts a valid %s: %p', (field, sent, kept) => {
    expect(validate(Thing, { [field]: sent })).toEqual({ [field]: kept });
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
  ])('rejects an invalid %s: %p', (field, value) => {
    const error = rejectionOf(Thing, { [field]: value });
    expect(error.entry).toBe(errorCatalogue.invalidField);
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
    expect(error.message).toMatch(new RegExp(`^${field} (must|is not a calendar date)`));
  });

  it.each(Object.keys({ text: 0, flag: 0, number: 0, instant: 0, email: 0, url: 0, id: 0, teamId: 0, amount: 0 }))(
    'rejects null for %s',
    (field) => {
      expect(rejectionOf(Thing, { [field]: null }).message).toBe(`${field} must not be null`);
    },
  );

  it('accepts null for a nullable field only', () => {
    expect(validate(UpdateThing, { text: null })).toEqual({ text: null });
    expect(invalidFieldsOf(UpdateThing, { flag: null })).toEqual(['flag']);
    expect(invalidFieldsOf(UpdateThing, { text: '' })).toEqual(['text']);
  });

  it('rejects a missing required field', () => {
    expect(rejectionOf(CreateThing, {}).message).toBe('text is required');
    expect(rejectionOf(CreateThing, { text: null }).message).toBe('text must not be null');
  });

  it('applies a default to an omitted field only', () => {
    expect(validate(CreateThing, { text: 'a' })).toEqual({ text: 'a', word: 'game' });
    expect(validate(CreateThing, { text: 'a', word: 'practice' })).toEqual({ text: 'a', word: 'practice' });
    expect(validate(UpdateThing, { flag: true })).toEqual({ flag: true });
  });

  it('names every unknown and every invalid field at once', () => {
    const fields = invalidFieldsOf(Thing, { text: 1, flag: 'x', startTime: 1, $set: {}, 'a.b': 1 });
    expect(fields?.sort()).toEqual(['$set', 'a.b', 'flag', 'startTime', 'text']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'prototype'])('names the raw key %s', (key) => {
    expect(invalidFieldsOf(Thing, JSON.parse(`{"${key}": {"text": "a"}}`))).toContain(key);
  });

  it('names a prototype key at any depth of a value', () => {
    const json = '{"anything": {"a": [{"prototype": {"b": 1}}], "toString": 1}, "part": {"valueOf": 1}}';
    const sent: unknown = JSON.parse(json);
    expect(invalidFieldsOf(Large, sent)).toEqual(['anything.a[0].prototype', 'anything', 'part.valueOf']);
  });

  it.each([undefined, null, 'Dana', [], 5])('names a required nested object once if it is %j', (part) => {
    expect(invalidFieldsOf(CreateLarge, { part })).toEqual(['part']);
  });

  it('quotes at most 60 characters of an unknown name', () => {
    const { message, details } = rejectionOf(Thing, { ['n'.repeat(90_000)]: 1 });
    const field = `${'n'.repeat(60)}…`;
    expect(message).toBe(`${field} is not a known field`);
    expect(details).toEqual([{ field, message }]);
  });

  it('reports at most 50 problems', () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`field${index}`, 1]));
    expect(invalidFieldsOf(Thing, many)).toHaveLength(50);
  });

  it.each([{}, { text: '' }, { text: null, other: '  ' }, { text: '\u200b', flag: 'wrong', unknown: 1 }])(
    'reports the separate error of @RequiresOneOf() before any other if neither field has a value: %j',
    (body) => {
      expect(rejectionOf(EitherThing, body).entry).toBe(errorCatalogue.opponentMissing);
    },
  );

  it('rejects a blank field beside a valid other one as an invalid field', () => {
    expect(validate(EitherThing, { other: 'a' })).toEqual({ other: 'a' });
    expect(rejectionOf(EitherThing, { text: '', other: 'a' }).entry).toBe(errorCatalogue.invalidField);
  });

  it.each(['1.5', '1e3', ' ', '', '+1', '-1', '0x10', '0', '101', '9'.repeat(20), ['1', '2'], '١'])(
    'rejects a query value that is not a decimal integer in range: %p',
    (limit) => {
      expect(invalidFieldsOf(ThingQuery, { limit })).toEqual(['limit']);
    },
  );

  it('converts a query value to a number, and an unescaped plus to an offset', () => {
    expect(validate(ThingQuery, { limit: '007' })).toEqual({ limit: 7 });
    expect(validate(ThingQuery, { from: '2027-05-01T12:00:00 02:00' })).toEqual({
      limit: 20,
      from: new Date('2027-05-01T10:00:00Z'),
    });
    expect(invalidFieldsOf(ThingQuery, { from: ['2027-05-01T12:00:00Z', '2027-05-02T12:00:00Z'] })).toEqual(['from']);
  });

  it('says that a date is not on the calendar, or what a date-time must be', () => {
    expect(rejectionOf(Thing, { instant: '2027-02-29T10:00' }).message).toBe('instant is not a calendar date');
    const problem = 'must be an ISO 8601 date-time such as 2027-05-01T10:00:00Z, in the years 1970 to 2199';
    for (const instant of ['2027-02-30', '2027-05-01T24:00:00Z', '2200-01-01T00:00:00Z', 'tomorrow'])
      expect(rejectionOf(Thing, { instant }).message).toBe(`instant ${problem}`);
  });

  it('calls an unknown query parameter a parameter', () => {
    const read = () => pipe.transform({ sort: 'name' }, { type: 'query', metatype: ThingQuery });
    expect(read).toThrow('sort is not a known parameter');
  });

  it('does not change its input', () => {
    const body = Object.freeze({ text: ' a ' });
    expect(validate(Thing, body)).toEqual({ text: 'a' });
    expect(body).toEqual({ text: ' a ' });
  });

  it('throws for a class without fields, which would validate nothing', () => {
    expect(() => validate(class NoFields {}, {})).toThrow('NoFields declares no field');
  });
});

/** Counts the array elements that the searches of a run can visit: each search counts the whole length of its array. */
function countSearchedElements(run: () => unknown): number {
  const prototype = Array.prototype as unknown as Record<string, (...parameters: unknown[]) => unknown>;
  const searches = ['indexOf', 'lastIndexOf', 'includes', 'find', 'findIndex', 'some', 'every', 'filter'];
  const originals = Object.entries(Object.getOwnPropertyDescriptors(Array.prototype)).flatMap(([name, { value }]) =>
    searches.includes(name) ? [[name, value as (...parameters: unknown[]) => unknown] as const] : [],
  );
  let searched = 0;
  try {
    for (const [name, original] of originals) {
      prototype[name] = function (this: unknown[], ...parameters: unknown[]) {
        searched += this.length;
        return original.apply(this, parameters);
      };
    }
    run();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return searched;
}

const keysOf = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value]));

describe('the work of rejecting input', () => {
  it.each<[string, new () => object, (size: number) => object]>([
    ['unknown fields', Thing, (size) => keysOf(size)],
    ['unknown fields of a nested object', Large, (size) => ({ part: keysOf(size) })],
    ['keys of a value without a class', Large, (size) => ({ anything: keysOf(size), part: 1 })],
    ['rows without a class', Large, (size) => ({ anything: Array.from({ length: size }, () => keysOf(3)), part: 1 })],
    ['prototype keys', Large, (size) => ({ anything: keysOf(size, JSON.parse('{"__proto__": 1}')) })],
    ['unknown query parameters', ThingQuery, (size) => keysOf(size, ['1', '2'])],
  ])('grows no faster than the input: %s', (_what, type, inputOf) => {
    const workFor = (size: number) => countSearchedElements(() => rejectionOf(type, inputOf(size)));
    expect(workFor(20_000)).toBeLessThanOrEqual(12 * workFor(2_000));
  });
});
