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

const said = { description: 'A field.' };

class Thing {
  @TextField({ ...said, max: 5 })
  text?: string;

  @BooleanField(said)
  flag?: boolean;

  @ChoiceField({ ...said, choices: [20, 30] })
  number?: number;

  @ChoiceField({ ...said, choices: ['game', 'practice'] })
  word?: string;

  @NumberField({ ...said, minimum: 1 })
  amount?: number;

  @NumberField({ ...said, minimum: 0, maximum: 60, integer: true })
  seconds?: number;

  @DateField({ ...said, example: '2027-05-01T10:00:00Z' })
  instant?: Date;

  @EmailField(said)
  email?: string;

  @EmailField({ ...said, lowerCase: true })
  login?: string;

  @UrlField(said)
  url?: string;

  @PasswordField(said)
  password?: string;

  @RecordIdField(said)
  id?: string;

  @TeamIdField(said)
  teamId?: string;
}

class CreateThing extends Thing {
  @TextField({ ...said, max: 5, required: true })
  override text!: string;

  @ChoiceField({ ...said, choices: ['game', 'practice'], default: 'game' })
  override word!: string;
}

class UpdateThing extends Thing {
  @TextField({ ...said, max: 5, nullable: true })
  override text?: string;
}

@RequiresOneOf(['text', 'other'], errorCatalogue.opponentMissing)
class EitherThing extends Thing {
  @TextField({ ...said, max: 5 })
  other?: string;
}

class ThingQuery {
  @NumberField({ ...said, minimum: 1, maximum: 100, query: true, default: 20 })
  limit!: number;

  @DateField({ ...said, example: '2027-05-01T10:00:00Z', query: true })
  from?: Date;
}

/** Holds a value of any shape, and an object with fields of its own. */
class Large {
  @Field({ ...said, problem: () => 'must be right', schema: { type: Object } })
  anything?: unknown;

  @NestedField({ type: Thing, description: 'A part.' })
  part?: Thing;
}

const pipe = new InputValidationPipe();
const taken = (metatype: new () => object, value: unknown) =>
  pipe.transform(value, { type: 'body', metatype }) as Record<string, unknown>;

function refused(metatype: new () => object, value: unknown): ServiceError {
  try {
    taken(metatype, value);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error(`It was taken: ${JSON.stringify(value)}`);
}

const wrongFields = (metatype: new () => object, value: unknown) =>
  refused(metatype, value).details?.map(({ field }) => field);

describe('the validation of input', () => {
  it('gives an instance of the class with what was sent, and no key for what was not', () => {
    const input = taken(Thing, { text: 'a' });
    expect(input).toBeInstanceOf(Thing);
    expect(Object.keys(input)).toEqual(['text']);
    expect(Object.keys(taken(UpdateThing, {}))).toEqual([]);
  });

  it.each([
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
    ['url', 'http://localhost:3000/a', 'http://localhost:3000/a'],
    ['password', '  secret  ', '  secret  '],
    ['id', '6650F1F77BCF86CD79943911', '6650f1f77bcf86cd79943911'],
    ['teamId', 'no id at all', 'no id at all'],
  ])('takes a right %s: %p', (field, sent, kept) => {
    expect(taken(Thing, { [field]: sent })).toEqual({ [field]: kept });
  });

  it.each([
    ...[1, true, {}, ['a'], '', '  ', 'longer', 'a\u0000'].map((value) => ['text', value] as const),
    ...['false', 'true', 0, 1, {}, []].map((value) => ['flag', value] as const),
    ...['30', 25, 30.5, true, [30]].map((value) => ['number', value] as const),
    ...['Game', 'toString', 1, ['game']].map((value) => ['word', value] as const),
    ...['1', 0, -1, true, []].map((value) => ['amount', value] as const),
    ...['30', -1, 61, 1.5, true, []].map((value) => ['seconds', value] as const),
    ...[1_777_629_600_000, '2027-05-01', '2027-02-30T10:00:00Z', {}].map((value) => ['instant', value] as const),
    ...['dana', 'dana@', '@example.com', `${'a'.repeat(250)}@x.com`, 1].map((value) => ['email', value] as const),
    ...[
      'javascript:alert(1)',
      'ftp://example.com',
      '//example.com',
      'https://',
      'https://exa mple.com',
      'https://example.com/ü',
      `https://example.com/${'a'.repeat(2_048)}`,
    ].map((value) => ['url', value] as const),
    ...['short', 'a'.repeat(201), 12_345_678].map((value) => ['password', value] as const),
    ...['6650f1f77bcf86cd7994391', '6650f1f77bcf86cd7994391g', '', 1, {}].map((value) => ['id', value] as const),
    ...['', '  ', '\u200b', 1, {}, ['a']].map((value) => ['teamId', value] as const),
  ])('refuses a wrong %s: %p', (field, value) => {
    const error = refused(Thing, { [field]: value });
    expect(error.entry).toBe(errorCatalogue.invalidField);
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
    expect(error.message).toMatch(new RegExp(`^${field} must`));
  });

  it.each(Object.keys({ text: 0, flag: 0, number: 0, instant: 0, email: 0, url: 0, id: 0, teamId: 0, amount: 0 }))(
    'refuses null for %s',
    (field) => {
      expect(refused(Thing, { [field]: null }).message).toBe(`${field} must not be null`);
    },
  );

  it('takes null for a field that it clears, and for no other', () => {
    expect(taken(UpdateThing, { text: null })).toEqual({ text: null });
    expect(wrongFields(UpdateThing, { flag: null })).toEqual(['flag']);
    expect(wrongFields(UpdateThing, { text: '' })).toEqual(['text']);
  });

  it('asks for a required field', () => {
    expect(refused(CreateThing, {}).message).toBe('text is required');
    expect(refused(CreateThing, { text: null }).message).toBe('text must not be null');
  });

  it('fills in a default where nothing was sent, and nowhere else', () => {
    expect(taken(CreateThing, { text: 'a' })).toEqual({ text: 'a', word: 'game' });
    expect(taken(CreateThing, { text: 'a', word: 'practice' })).toEqual({ text: 'a', word: 'practice' });
    expect(taken(UpdateThing, { flag: true })).toEqual({ flag: true });
  });

  it('names every unknown field and every wrong one at once', () => {
    const fields = wrongFields(Thing, { text: 1, flag: 'x', startTime: 1, $set: {}, 'a.b': 1 });
    expect(fields?.sort()).toEqual(['$set', 'a.b', 'flag', 'startTime', 'text']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'prototype'])('names the raw key %s', (key) => {
    expect(wrongFields(Thing, JSON.parse(`{"${key}": {"text": "a"}}`))).toContain(key);
  });

  it('names a prototype key at any depth of a value', () => {
    const json = '{"anything": {"a": [{"prototype": {"b": 1}}], "toString": 1}, "part": {"valueOf": 1}}';
    const sent: unknown = JSON.parse(json);
    expect(wrongFields(Large, sent)).toEqual(['anything.a[0].prototype', 'anything', 'part.valueOf']);
  });

  it('quotes at most 60 characters of an unknown name', () => {
    const { message, details } = refused(Thing, { ['n'.repeat(90_000)]: 1 });
    const field = `${'n'.repeat(60)}…`;
    expect(message).toBe(`${field} is not a known field`);
    expect(details).toEqual([{ field, message }]);
  });

  it('tells at most fifty problems', () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`field${index}`, 1]));
    expect(wrongFields(Thing, many)).toHaveLength(50);
  });

  it.each([{}, { text: '' }, { text: null, other: '  ' }, { text: '\u200b', flag: 'wrong', unknown: 1 }])(
    'has the refusal of its own before any other where neither of two fields says anything: %j',
    (body) => {
      expect(refused(EitherThing, body).entry).toBe(errorCatalogue.opponentMissing);
    },
  );

  it('refuses a blank field beside a valid other one as a wrong field', () => {
    expect(taken(EitherThing, { other: 'a' })).toEqual({ other: 'a' });
    expect(refused(EitherThing, { text: '', other: 'a' }).entry).toBe(errorCatalogue.invalidField);
  });

  it.each(['1.5', '1e3', ' ', '', '+1', '-1', '0x10', '0', '101', '9'.repeat(20), ['1', '2'], '١'])(
    'refuses a query value that is no whole decimal number in range: %p',
    (limit) => {
      expect(wrongFields(ThingQuery, { limit })).toEqual(['limit']);
    },
  );

  it('turns a query value into a number, and an unescaped plus into an offset', () => {
    expect(taken(ThingQuery, { limit: '007' })).toEqual({ limit: 7 });
    expect(taken(ThingQuery, { from: '2027-05-01T12:00:00 02:00' })).toEqual({
      limit: 20,
      from: new Date('2027-05-01T10:00:00Z'),
    });
    expect(wrongFields(ThingQuery, { from: ['2027-05-01T12:00:00Z', '2027-05-02T12:00:00Z'] })).toEqual(['from']);
  });

  it('changes nothing of what it was given', () => {
    const body = Object.freeze({ text: ' a ' });
    expect(taken(Thing, body)).toEqual({ text: 'a' });
    expect(body).toEqual({ text: ' a ' });
  });

  it('throws for a class without fields, which would validate nothing', () => {
    expect(() => taken(class NoFields {}, {})).toThrow('NoFields declares no field');
  });
});

/** How many array elements the searches of a run may look at: each search counts the whole length of its array. */
function searchedElements(run: () => unknown): number {
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
    const workFor = (size: number) => searchedElements(() => refused(type, inputOf(size)));
    expect(workFor(20_000)).toBeLessThanOrEqual(12 * workFor(2_000));
  });
});
