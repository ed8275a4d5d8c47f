import { structureProblem } from './body.guard.js';

const problemOf = (json: string, maxValues = 1_000) => structureProblem(Buffer.from(json), maxValues);
const nested = (levels: number) => '{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2);

describe('the structure of a JSON text', () => {
  it('has at most 32 levels of objects and arrays', () => {
    expect(problemOf(nested(32))).toBeUndefined();
    expect(problemOf(`{"b":[[]],"a":${nested(32)}}`)).toBe('is nested deeper than 32 levels');
    expect(problemOf('['.repeat(1_000_000))).toBe('is nested deeper than 32 levels');
  });

  it('has at most as many values as allowed', () => {
    expect(problemOf('[1,[],{},"a"]', 8)).toBeUndefined();
    expect(problemOf('[1,[],{},"a"]', 6)).toBe('has more than 6 values');
    expect(problemOf(`{"a":[${'[],'.repeat(1_000)}0]}`)).toBe('has more than 1000 values');
  });

  it('has at most 256 fields in an object, in lists of any length', () => {
    const object = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":[1,{}]`).join()}}`;
    expect(problemOf(`[${'0,'.repeat(300)}${object(256)},${object(256)}]`, 10_000)).toBeUndefined();
    expect(problemOf(`{"a":[{}],"b":${object(257)}}`, 10_000)).toBe('has an object with more than 256 fields');
  });

  it('does not depend on the content of strings', () => {
    expect(problemOf(JSON.stringify({ '[,[': ['\\"[,[{', '"', '\\', ','.repeat(5_000)] }), 10)).toBeUndefined();
    expect(problemOf('["\\', 3)).toBeUndefined();
  });
});
