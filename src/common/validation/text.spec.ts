import { codePoints, isBlank, textProblem, trimmed } from './text.js';

describe('a text', () => {
  it.each(['', ' ', '\t\n', '\u00a0', '\u200b', '\u2060\ufeff', '\u3164', '\u2800', '\u00ad', '\u202e', '\u{e0020}'])(
    'is blank where a reader would see nothing: %j',
    (text) => {
      expect(isBlank(text)).toBe(true);
      expect(textProblem(text, { max: 10 })).toBe('must not be blank');
      expect(isBlank(`${text}x${text}`)).toBe(false);
    },
  );

  it('may be blank where the field says so', () => {
    expect(textProblem('', { max: 10, blank: true })).toBeUndefined();
    expect(textProblem('   ', { max: 10, blank: true })).toBeUndefined();
  });

  it.each([null, undefined, 1, true, {}, ['a'], new String('a')])('is no other JSON type: %p', (value) => {
    expect(textProblem(value, { max: 10 })).toBe('must be a text');
    expect(trimmed(value)).toBe(value);
  });

  it.each(['a\u0000', 'a\u0007b', 'a\u001b[0m', 'a\u007f', 'a\u0085b', 'a\rb'])(
    'has no control characters: %j',
    (text) => {
      expect(textProblem(text, { max: 10 })).toBe('must not contain control characters');
      expect(textProblem(text, { max: 10, lines: true })).toBe('must not contain control characters');
    },
  );

  it('has tab and newline only where the field takes lines', () => {
    expect(textProblem('a\tb\nc', { max: 10 })).toBe('must not contain control characters');
    expect(textProblem('a\tb\nc', { max: 10, lines: true })).toBeUndefined();
  });

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800'])('is well-formed Unicode: %j', (text) => {
    expect(textProblem(`x${text}`, { max: 10 })).toMatch(/lone surrogate/);
  });

  it('is counted in code points, not in UTF-16 units or bytes', () => {
    expect(codePoints('🏈🏈')).toBe(2);
    expect(textProblem('🏈'.repeat(5), { max: 5 })).toBeUndefined();
    expect(textProblem('🏈'.repeat(6), { max: 5 })).toBe('must have at most 5 characters');
    expect(textProblem('ü'.repeat(5), { max: 5 })).toBeUndefined();
  });

  it('has no fewer characters than the field asks for', () => {
    expect(textProblem('ab', { min: 3, max: 5 })).toBe('must have 3 to 5 characters');
    expect(textProblem('abc', { min: 3, max: 5 })).toBeUndefined();
  });

  it('is trimmed at both ends and nowhere else', () => {
    expect(trimmed('  Bay  Hawks\n')).toBe('Bay  Hawks');
  });

  it('is judged in a time that grows with its length only', () => {
    const begun = performance.now();
    textProblem(`${' \u200b'.repeat(50_000)}x\u0000`, { max: 10 });
    expect(performance.now() - begun).toBeLessThan(500);
  });
});
