import { ServiceError } from '../errors/service-error.js';
import { TextListField } from './fields.js';
import { InputValidationPipe } from './validation.pipe.js';

const options = {
  description: 'Colours.',
  example: ['red'],
  maxItems: 3,
  omitTo: 'to take any colour',
  entryProblem: (value: string) => (['red', 'green', 'blue', 'grey'].includes(value) ? undefined : 'must be a colour'),
  items: { maxLength: 5 },
};

class Request {
  @TextListField(options)
  colours?: string[] | null;
}

class UpdateRequest extends Request {
  @TextListField({ ...options, nullable: true })
  override colours?: string[] | null;
}

const validate = (body: object, metatype: new () => object = Request) =>
  new InputValidationPipe().transform(body, { type: 'body', metatype }) as Request;

function problemsOf(colours: unknown, metatype?: new () => object): (readonly [field: string, message: string])[] {
  try {
    validate({ colours }, metatype);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.message).toBe(error.details?.[0]?.message);
    return error.details?.map(({ field, message }) => [field, message] as const) ?? [];
  }
}

describe('a list of strings', () => {
  it('accepts one entry up to the maximum, trims each and keeps their order', () => {
    expect(validate({ colours: ['red'] }).colours).toEqual(['red']);
    expect(validate({ colours: ['green', ' red\n', 'blue'] }).colours).toEqual(['green', 'red', 'blue']);
  });

  it('is optional', () => {
    expect(Object.keys(validate({}))).toEqual([]);
  });

  it('rejects an empty list and says that it can be omitted', () => {
    expect(problemsOf([])).toEqual([['colours', 'colours must have at least one entry; omit it to take any colour']]);
  });

  it('rejects a list that is too long as a whole, without checking its entries', () => {
    for (const list of [
      ['red', 'green', 'blue', 'grey'],
      [1, 2, 3, 4],
    ]) {
      expect(problemsOf(list)).toEqual([['colours', 'colours must have at most 3 entries']]);
    }
  });

  it.each(['red', 1, true, { 0: 'red', length: 1 }])('rejects other types: %p', (value) => {
    expect(problemsOf(value)).toEqual([['colours', 'colours must be an array of strings']]);
  });

  it('names every invalid entry by its index', () => {
    expect(problemsOf(['pink', 'red', 7])).toEqual([
      ['colours[0]', 'colours[0] must be a colour'],
      ['colours[2]', 'colours[2] must be a string'],
    ]);
    expect(problemsOf([null, ['red'], {}])).toEqual(
      [0, 1, 2].map((index) => [`colours[${index}]`, `colours[${index}] must be a string`]),
    );
  });

  it('names a repeated entry, even if it differs in white space', () => {
    expect(problemsOf(['red', 'blue', ' red '])).toEqual([['colours[2]', 'colours[2] must not repeat entry 0']]);
  });

  it('rejects null unless the field is nullable', () => {
    expect(problemsOf(null)).toEqual([['colours', 'colours must not be null']]);
    expect(validate({ colours: null }, UpdateRequest).colours).toBeNull();
  });

  it('names its entries in a subclass that overrides the field', () => {
    expect(problemsOf(['pink'], UpdateRequest)).toEqual([['colours[0]', 'colours[0] must be a colour']]);
  });
});
