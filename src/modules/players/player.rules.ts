/** The known positions. The first position of a player is the primary one. */
export const knownPositions: readonly string[] = [
  'QB',
  'C',
  'WR',
  'SLOT',
  'RB',
  'TE',
  'OL',
  'RUSHER',
  'DL',
  'LB',
  'CB',
  'S',
  'DB',
  'K',
  'P',
  'RETURNER',
  'ATH',
];

/** Returns a known position in upper case, and any other text unchanged. */
export function normalizePosition(position: string): string {
  // The upper case of some non-ASCII letters is ASCII, such as ſ and S.
  const upper = /^[A-Za-z]+$/.test(position) ? position.toUpperCase() : position;
  return knownPositions.includes(upper) ? upper : position;
}
