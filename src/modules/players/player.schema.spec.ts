import { knownPositions, normalizePosition } from './player.schema.js';

describe('normalizePosition', () => {
  it.each(knownPositions)('converts a known position to upper case: %s', (position) => {
    expect(normalizePosition(position)).toBe(position);
    expect(normalizePosition(position.toLowerCase())).toBe(position);
    expect(normalizePosition(position.charAt(0) + position.slice(1).toLowerCase())).toBe(position);
  });

  it.each(['Nickel', 'qb2', 'qbs', '', ' qb', 'ſ', 'ﬆ', '\u212a'])(
    'keeps an unknown position unchanged: %j',
    (position) => {
      expect(normalizePosition(position)).toBe(position);
    },
  );

  it('knows the positions of the contract', () => {
    expect(knownPositions.join(' ')).toBe('QB C WR SLOT RB TE OL RUSHER DL LB CB S DB K P RETURNER ATH');
  });
});
