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
export function normalisePosition(position: string): string {
  const upper = position.toUpperCase();
  return knownPositions.includes(upper) ? upper : position;
}
