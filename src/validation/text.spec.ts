import { compareNames, isBlank, textProblem, trim, withApostrophes } from './text.js';

describe('text', () => {
  it.each(['', ' ', '\t\n', '\u00a0', '\u200b', '\u2060\ufeff', '\u3164', '\u2800', '\u00ad', '\u202e', '\u{e0020}'])(
    'is blank without a visible character: %j',
    (text) => {
      expect(isBlank(text)).toBe(true);
      expect(textProblem(text, { max: 10 })).toBe('must not be blank');
      expect(isBlank(`${text}x${text}`)).toBe(false);
    },
  );

  it('loses invisible characters with the trimming, but no joiner of an emoji', () => {
    expect(trim(' Ha\u200bwks\u2060 \ufeffFly\u00ading ')).toBe('Hawks Flying');
    expect(trim('\u200dFam 👩\u200d🏈 \u200d')).toBe('Fam 👩\u200d🏈');
    for (const text of ['👩\u200d🏈', 'می\u200cشوند']) expect(trim(text)).toBe(text);
  });

  it('is sorted as people sort names', () => {
    const names = ['Zoë', 'adam', 'ángel', 'Zebras', 'Émile', 'Eva', 'Zoe', 'alphas', 'Éclairs'];
    const sorted = ['adam', 'alphas', 'ángel', 'Éclairs', 'Émile', 'Eva', 'Zebras', 'Zoe', 'Zoë'];
    expect(names.sort(compareNames)).toEqual(sorted);
  });

  it('is written with each kind of apostrophe', () => {
    expect(withApostrophes('Hawks')).toEqual(['Hawks']);
    for (const text of ["O'Brien", 'O\u2019Brien', 'O`Brien'])
      expect(withApostrophes(text)).toEqual(expect.arrayContaining(["O'Brien", 'O\u2019Brien', 'O\u02bcBrien']));
  });

  it('can be blank if the field allows it', () => {
    expect(textProblem('', { max: 10, allowBlank: true })).toBeUndefined();
    expect(textProblem('   ', { max: 10, allowBlank: true })).toBeUndefined();
  });

  it.each([null, undefined, 1, true, {}, ['a'], new String('a')])('rejects other JSON types: %p', (value) => {
    expect(textProblem(value, { max: 10 })).toBe('must be a string');
    expect(trim(value)).toBe(value);
  });

  it.each(['a\u0000', 'a\u0007b', 'a\u001b[0m', 'a\u007f', 'a\u0085b', 'a\rb'])(
    'rejects control characters: %j',
    (text) => {
      expect(textProblem(text, { max: 10 })).toBe('must not contain control characters');
      expect(textProblem(text, { max: 10, multiline: true })).toBe('must not contain control characters');
    },
  );

  it('accepts tabs and newlines only in a multiline field', () => {
    expect(textProblem('a\tb\nc', { max: 10 })).toBe('must not contain control characters');
    expect(textProblem('a\tb\nc', { max: 10, multiline: true })).toBeUndefined();
  });

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800'])('rejects malformed Unicode: %j', (text) => {
    expect(textProblem(`x${text}`, { max: 10 })).toMatch(/lone surrogate/);
  });

  it('is measured in code points, not in UTF-16 units or bytes', () => {
    expect(textProblem('🏈'.repeat(5), { max: 5 })).toBeUndefined();
    expect(textProblem('🏈'.repeat(6), { max: 5 })).toBe('must have at most 5 characters');
    expect(textProblem('ü'.repeat(5), { max: 5 })).toBeUndefined();
  });

  it('rejects a text below the minimum length', () => {
    expect(textProblem('ab', { min: 3, max: 5 })).toBe('must have 3 to 5 characters');
    expect(textProblem('abc', { min: 3, max: 5 })).toBeUndefined();
  });

  it('is trimmed only at both ends', () => {
    expect(trim('  Bay  Hawks\n')).toBe('Bay  Hawks');
  });

  it('is checked in linear time', () => {
    const startedAt = performance.now();
    textProblem(`${' \u200b'.repeat(50_000)}x\u0000`, { max: 10 });
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
