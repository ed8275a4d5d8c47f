import { knownPositions, normalizePosition } from './player.rules.js';

describe('a position', () => {
  it.each(knownPositions)('that is known is kept in upper case, however it was written: %s', (position) => {
    expect(normalizePosition(position)).toBe(position);
    expect(normalizePosition(position.toLowerCase())).toBe(position);
    expect(normalizePosition(position.charAt(0) + position.slice(1).toLowerCase())).toBe(position);
  });

  it.each(['Nickel', 'qb2', 'qbs', '', ' qb', 'ſ', 'ﬆ', '\u212a'])(
    'that is not known is kept as it is: %j',
    (position) => {
      expect(normalizePosition(position)).toBe(position);
    },
  );

  it('is listed once', () => {
    expect(new Set(knownPositions).size).toBe(knownPositions.length);
  });
});
