/** The known positions; the first one of a player is the primary one. */
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

/** A known position in upper case, however it was written; any other text as it is. */
export function normalizePosition(position: string): string {
  // Some letters beyond ASCII have an upper case within it.
  const upper = /^[A-Za-z]+$/.test(position) ? position.toUpperCase() : position;
  return knownPositions.includes(upper) ? upper : position;
}
