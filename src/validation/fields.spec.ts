import { rejectionOf, validated } from '../../test/support/validated.js';
import { TextListField } from './fields.js';

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

const validate = (body: object) => validated(Request, body);

async function problemsOf(colours: unknown) {
  const error = await rejectionOf(Request, { colours });
  expect(error?.message).toBe(error?.details?.[0]?.message);
  return error?.details?.map(({ field, message }) => [field, message] as const) ?? [];
}

describe('a list of strings', () => {
  it('accepts one entry up to the maximum, trims each and keeps their order', async () => {
    expect((await validate({ colours: ['red'] }))['colours']).toEqual(['red']);
    expect((await validate({ colours: ['green', ' red\n', 'blue'] }))['colours']).toEqual(['green', 'red', 'blue']);
  });

  it('is optional', async () => {
    expect(Object.keys(await validate({}))).toEqual([]);
  });

  it('rejects an empty list and says that it can be omitted', async () => {
    expect(await problemsOf([])).toEqual([
      ['colours', 'colours must have at least one entry; omit it to take any colour'],
    ]);
  });

  it('rejects a list that is too long as a whole, without checking its entries', async () => {
    for (const list of [
      ['red', 'green', 'blue', 'grey'],
      [1, 2, 3, 4],
    ]) {
      expect(await problemsOf(list)).toEqual([['colours', 'colours must have at most 3 entries']]);
    }
  });

  it.each(['red', 1, true, { 0: 'red', length: 1 }])('rejects other types: %p', async (value) => {
    expect(await problemsOf(value)).toEqual([['colours', 'colours must be an array of strings']]);
  });

  it('names every invalid entry by its index', async () => {
    expect(await problemsOf(['pink', 'red', 7])).toEqual([
      ['colours[0]', 'colours[0] must be a colour'],
      ['colours[2]', 'colours[2] must be a string'],
    ]);
    expect(await problemsOf([null, ['red'], {}])).toEqual(
      [0, 1, 2].map((index) => [`colours[${index}]`, `colours[${index}] must be a string`]),
    );
  });

  it('names a repeated entry, even if it differs in white space', async () => {
    expect(await problemsOf(['red', 'blue', ' red '])).toEqual([['colours[2]', 'colours[2] must not repeat entry 0']]);
  });
});
