import { hiddenKeys, isPrototypeKey } from './hidden-keys.js';

/** Stands for what a body is built into; what lies below it is handed on as it was sent. */
class Input {
  name = '';
}

const fieldsOf = (json: string) =>
  hiddenKeys(JSON.parse(json), new Input())
    .map(({ field }) => field)
    .sort();

describe('the keys that the whitelist never sees', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('are named at any depth: %s', (key) => {
    expect(isPrototypeKey(key)).toBe(true);
    expect(fieldsOf(`{"a": {"b": [{"${key}": 1}]}}`)).toEqual([`a.b[0].${key}`]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'])(
    'are named at the top, where every object inherits them: %s',
    (key) => {
      expect(hiddenKeys(JSON.parse(`{"${key}": 1}`), new Input())).toEqual([
        { field: key, message: `${key} is not a known field` },
      ]);
    },
  );

  it('are all named at once', () => {
    expect(fieldsOf('{"__proto__": {}, "constructor": 1, "a": {"prototype": 1}}')).toEqual([
      '__proto__',
      'a.prototype',
      'constructor',
    ]);
  });

  it('are none where a field is only named like a method further down, or like the start of one', () => {
    expect(fieldsOf('{"a": {"toString": 1}, "proto": 1, "constructors": 1}')).toEqual([]);
  });

  it('are named further down too, where a nested object was built into one of our classes', () => {
    const built = Object.assign(new Input(), { inner: new Input() });
    expect(hiddenKeys(JSON.parse('{"inner": {"toString": 1, "name": 2}}'), built)).toEqual([
      { field: 'inner.toString', message: 'inner.toString is not a known field' },
    ]);
  });

  it.each([null, undefined, 1, 'text', [], {}])('are none in %p', (value) => {
    expect(hiddenKeys(value, new Input())).toEqual([]);
  });

  it('are found in a query too, whose object inherits nothing', () => {
    const query = Object.assign(Object.create(null) as object, { toString: '1' });
    expect(hiddenKeys(query, new Input())).toHaveLength(1);
  });
});
