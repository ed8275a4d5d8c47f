import fc from 'fast-check';
import { InputValidationPipe } from '../validation/validation.pipe.js';
import { offsetOf, PageQuery } from './paging.js';

fc.configureGlobal({ seed: 20270501, numRuns: 1_000 });

const pipe = new InputValidationPipe();
const read = (query: object) => pipe.transform(query, { type: 'query', metatype: PageQuery }) as PageQuery;

/** Returns the parsed parameter, or undefined if it is rejected. */
function parsed(name: 'page' | 'limit', value: unknown): number | undefined {
  try {
    return read({ [name]: value })[name];
  } catch (error) {
    expect(error).toMatchObject({ entry: { code: 40001 }, details: [{ field: name }] });
    return undefined;
  }
}

/** The contract's rule: decimal digits, from 1 to the maximum. */
function meaningOf(text: string, maximum: number): number | undefined {
  const digits = Array.from(text);
  if (digits.length === 0 || !digits.every((digit) => digit >= '0' && digit <= '9' && digit.length === 1))
    return undefined;
  const value = BigInt(text);
  return value >= 1n && value <= BigInt(maximum) ? Number(value) : undefined;
}

const numbers = fc.oneof(
  fc.bigInt(-10n, 110n),
  fc.bigInt(999_990n, 1_000_010n),
  fc.bigInt(-(10n ** 400n), 10n ** 400n),
);
const decorated = fc
  .tuple(
    fc.constantFrom('', '0', '0'.repeat(30), '+', '-', ' ', '0x', '１', '٣', '\n'),
    numbers,
    fc.constantFrom('', '.0', 'e3', 'n', ' ', ',', '_0', '\u0000'),
  )
  .map((parts) => parts.join(''));
const texts = fc.oneof(numbers.map(String), decorated, fc.string({ unit: 'binary', maxLength: 20 }));

describe.each([
  ['page', 1_000_000],
  ['limit', 100],
] as const)('any %s', (name, maximum) => {
  it(`accepts decimal digits from 1 to ${maximum} only`, () => {
    fc.assert(fc.property(texts, (text) => expect(parsed(name, text)).toBe(meaningOf(text, maximum))));
  });

  it('rejects repeated values and other types', () => {
    const others = fc.jsonValue().filter((value) => typeof value !== 'string' && typeof value !== 'number');
    fc.assert(fc.property(others, (value) => expect(parsed(name, value)).toBeUndefined()));
  });
});

describe('every page', () => {
  it('starts where the previous one ends', () => {
    const pages = fc.record({ page: fc.integer({ min: 1, max: 999_999 }), limit: fc.integer({ min: 1, max: 100 }) });
    const check = ({ page, limit }: { page: number; limit: number }) =>
      expect(offsetOf({ page: page + 1, limit })).toBe(offsetOf({ page, limit }) + limit);
    fc.assert(fc.property(pages, check));
    expect(offsetOf({ page: 1, limit: 100 })).toBe(0);
  });
});
