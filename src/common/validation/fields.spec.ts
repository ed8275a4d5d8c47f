import { ServiceError } from '../errors/service-error.js';
import { TextListField } from './fields.js';
import { InputValidationPipe } from './validation.pipe.js';

const colours = {
  description: 'Colours.',
  example: ['red'],
  most: 3,
  leftOut: 'to take any colour',
  entry: (value: string) => (['red', 'green', 'blue', 'grey'].includes(value) ? undefined : 'must be a colour'),
  items: { maxLength: 5 },
};

class Request {
  @TextListField(colours)
  colours?: string[] | null;
}

class UpdateRequest extends Request {
  @TextListField({ ...colours, nullable: true })
  override colours?: string[] | null;
}

const taken = (body: object, metatype: new () => object = Request) =>
  new InputValidationPipe().transform(body, { type: 'body', metatype }) as Request;

function problemsOf(colours: unknown, metatype?: new () => object): (readonly [field: string, message: string])[] {
  try {
    taken({ colours }, metatype);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.message).toBe(error.details?.[0]?.message);
    return error.details?.map(({ field, message }) => [field, message] as const) ?? [];
  }
}

describe('a list of texts', () => {
  it('is taken with one entry and with as many as may be, each trimmed, in the order sent', () => {
    expect(taken({ colours: ['red'] }).colours).toEqual(['red']);
    expect(taken({ colours: ['green', ' red\n', 'blue'] }).colours).toEqual(['green', 'red', 'blue']);
  });

  it('may be left out', () => {
    expect(Object.keys(taken({}))).toEqual([]);
  });

  it('is refused when it is empty, and told that it can be left out', () => {
    expect(problemsOf([])).toEqual([
      ['colours', 'colours must have at least one entry; leave it out to take any colour'],
    ]);
  });

  it('is refused as a whole when it is too long, whatever its entries are', () => {
    for (const list of [
      ['red', 'green', 'blue', 'grey'],
      [1, 2, 3, 4],
    ]) {
      expect(problemsOf(list)).toEqual([['colours', 'colours must have at most 3 entries']]);
    }
  });

  it.each(['red', 1, true, { 0: 'red', length: 1 }])('is refused when it is no list: %p', (value) => {
    expect(problemsOf(value)).toEqual([['colours', 'colours must be a list of texts']]);
  });

  it('names every wrong entry by its place', () => {
    expect(problemsOf(['pink', 'red', 7])).toEqual([
      ['colours[0]', 'colours[0] must be a colour'],
      ['colours[2]', 'colours[2] must be a text'],
    ]);
    expect(problemsOf([null, ['red'], {}])).toEqual(
      [0, 1, 2].map((index) => [`colours[${index}]`, `colours[${index}] must be a text`]),
    );
  });

  it('names an entry that was there before, also one that differs by white space alone', () => {
    expect(problemsOf(['red', 'blue', ' red '])).toEqual([['colours[2]', 'colours[2] must not repeat entry 0']]);
  });

  it('is refused when it is null, unless null clears it', () => {
    expect(problemsOf(null)).toEqual([['colours', 'colours must not be null']]);
    expect(taken({ colours: null }, UpdateRequest).colours).toBeNull();
  });

  it('names its entries also in a class that constrains it further', () => {
    expect(problemsOf(['pink'], UpdateRequest)).toEqual([['colours[0]', 'colours[0] must be a colour']]);
  });
});
