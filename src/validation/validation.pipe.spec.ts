import { MaxLength } from 'class-validator';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { invalidFieldsOf, rejectionOf, validated } from '../../test/support/validated.js';
import { field } from './field.js';
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
import { RequiresOneOf } from './requires-one-of.js';
import { Rule } from './rules.js';
import { InputValidationPipe } from './validation.pipe.js';
import { validationOptions } from './validation.options.js';

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

class PlainThing {
  @field(options, { schema: { type: String } }, MaxLength(3))
  text?: string;
}

class RequiredThing {
  @TextField({ ...options, max: 5, required: true })
  text!: string;
}

@RequiresOneOf(['text', 'other'], 'opponentMissing')
class EitherThing extends Thing {
  @TextField({ ...options, max: 5 })
  other?: string;
}

class ThingQuery {
  @NumberField({ ...options, minimum: 1, maximum: 100, query: true, default: 20 })
  limit = 20;

  @DateField({ ...options, example: '2027-05-01T10:00:00Z', query: true })
  from?: Date;
}

/** Has a value of any shape and a nested object. */
class Large {
  @field(options, { schema: { type: Object } }, Rule('isNothing', () => 'must be right'))
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

describe('the validation pipe', () => {
  it('returns an instance of the class with the sent fields only', async () => {
    const input = await validated(Thing, { text: 'a' });
    expect(input).toBeInstanceOf(Thing);
    expect(Object.keys(input)).toEqual(['text']);
    expect(Object.keys(await validated(Thing, {}))).toEqual([]);
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

  it('rejects a missing required field', async () => {
    expect((await rejectionOf(RequiredThing, {}))?.message).toBe('text is required');
    expect((await rejectionOf(RequiredThing, { text: null }))?.message).toBe('text must not be null');
  });

  it('names every unknown and every invalid field at once', async () => {
    const fields = await invalidFieldsOf(Thing, { text: 1, flag: 'x', startTime: 1, $set: {}, 'a.b': 1 });
    expect(fields?.sort()).toEqual(['$set', 'a.b', 'flag', 'startTime', 'text']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'prototype', 'hasOwnProperty'])(
    'names the key %s, which class-transformer drops, alone',
    async (key) => {
      expect(await invalidFieldsOf(Thing, JSON.parse(`{"${key}": {"text": "a"}, "unknown": 1}`))).toEqual([key]);
      expect(await invalidFieldsOf(Large, JSON.parse(`{"part": {"${key}": 1}}`))).toEqual([`part.${key}`]);
    },
  );

  it('names a prototype key at any depth of a value', async () => {
    const sent: unknown = JSON.parse(
      '{"anything": {"a": [{"prototype": {"b": 1}}], "constructor": "x", "toString": 1}}',
    );
    expect(await invalidFieldsOf(Large, sent)).toEqual(['anything.a[0].prototype', 'anything.constructor']);
  });

  it.each([undefined, null, 'Dana', [], 5])('names a required nested object once if it is %j', async (part) => {
    expect(await invalidFieldsOf(CreateLarge, { part })).toEqual(['part']);
  });

  it('quotes at most 60 characters of an unknown name', async () => {
    const { message, details } = (await rejectionOf(Thing, { ['n'.repeat(90_000)]: 1 })) ?? {};
    const field = `${'n'.repeat(60)}…`;
    expect(message).toBe(`${field} is not a known field`);
    expect(details).toEqual([{ field, message }]);
  });

  it('reports at most 50 problems', async () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`field${index}`, 1]));
    expect(await invalidFieldsOf(Thing, many)).toHaveLength(50);
  });

  it.each([{}, { text: '' }, { text: null, other: '  ' }, { text: '\u200b', flag: 'wrong', unknown: 1 }])(
    'reports the separate error of @RequiresOneOf() before any other if neither field has a value: %j',
    async (body) => {
      expect((await rejectionOf(EitherThing, body))?.entry).toBe(errorCatalogue.opponentMissing);
    },
  );

  it('rejects a blank field beside a valid other one as an invalid field', async () => {
    expect(await validated(EitherThing, { other: 'a' })).toEqual({ other: 'a' });
    expect((await rejectionOf(EitherThing, { text: '', other: 'a' }))?.entry).toBe(errorCatalogue.invalidField);
  });

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

  it('calls an unknown query parameter a parameter', async () => {
    const read = new InputValidationPipe().transform({ sort: 'name' }, { type: 'query', metatype: ThingQuery });
    await expect(read).rejects.toThrow('sort is not a known parameter');
  });

  it('does not change its input', async () => {
    const body = Object.freeze({ text: ' a ' });
    expect(await validated(Thing, body)).toEqual({ text: 'a' });
    expect(body).toEqual({ text: ' a ' });
  });

  it("names the field once in a message of class-validator's own", async () => {
    const message = 'text must be shorter than or equal to 3 characters';
    expect((await rejectionOf(PlainThing, { text: 'abcd' }))?.message).toBe(message);
  });

  it('throws for a class without fields, which would validate nothing', async () => {
    await expect(validated(class NoFields {}, {})).rejects.toThrow('NoFields declares no field');
  });

  it('converts no value to the type of its property, and stores only what was sent', () => {
    expect(validationOptions.transformOptions).toEqual({ exposeUnsetFields: false });
  });
});

/** Counts the array elements that the searches of a run can visit: each search counts the whole length of its array. */
async function countSearchedElements(run: () => Promise<unknown>): Promise<number> {
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
    await run();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return searched;
}

const keysOf = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value]));

describe('the work of rejecting input', () => {
  it.each<[string, new () => object, (size: number) => object]>([
    ['rows without a class', Large, (size) => ({ anything: Array.from({ length: size }, () => keysOf(3)), part: 1 })],
    ['prototype keys', Large, (size) => ({ anything: keysOf(size, JSON.parse('{"__proto__": 1}')) })],
  ])('grows no faster than the input: %s', async (_what, type, inputOf) => {
    const workFor = (size: number) => countSearchedElements(() => rejectionOf(type, inputOf(size)));
    expect(await workFor(20_000)).toBeLessThanOrEqual(12 * (await workFor(2_000)));
  });
});
