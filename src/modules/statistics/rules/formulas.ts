/** A quotient of integers, divided only when it is rounded, so that rounding is exact. */
export interface Fraction {
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * Rounds a fraction to one decimal, halves away from zero (6.25 → 6.3, -6.25 → -6.3), never -0; returns `null`
 * for a denominator of 0. The remainder is exact, unlike the binary quotient: 1.005 is stored as slightly less.
 */
export function roundToTenth({ numerator, denominator }: Fraction): number | null {
  if (denominator === 0) return null;
  const doubled = 20 * Math.abs(numerator) + denominator;
  const tenths = (doubled - (doubled % (2 * denominator))) / (2 * denominator);
  return (numerator < 0 ? 0 - tenths : tenths) / 10;
}

/**
 * The NFL passer rating, in use since 1973: `100 × (a + b + c + d) / 6`, each clamped to 0…2.375, of
 * `a = (C/A − 0.3) × 5`, `b = (Y/A − 3) × 0.25`, `c = TD/A × 20`, `d = 2.375 − INT/A × 25`. From 0 to 158.3.
 *
 * Computed as a fraction of integers: each part is multiplied by 8 A, so that its bound 2.375 becomes 19 A and the
 * rating is `100 × sum / (6 × 8 A)`.
 */
export function nflPasserRating(
  attempts: number,
  completions: number,
  passingYards: number,
  touchdowns: number,
  interceptions: number,
): Fraction {
  const parts = [
    40 * completions - 12 * attempts,
    2 * passingYards - 6 * attempts,
    160 * touchdowns,
    19 * attempts - 200 * interceptions,
  ];
  const bounded = parts.map((part) => Math.min(Math.max(part, 0), 19 * attempts));
  return { numerator: 100 * bounded.reduce((total, part) => total + part, 0), denominator: 48 * attempts };
}

/**
 * The NCAA passing efficiency, in use since 1979: `(8.4 Y + 330 TD + 100 C − 200 INT) / A`; numerator and
 * denominator are multiplied by 10 for a fraction of integers.
 */
export function ncaaPassingEfficiency(
  attempts: number,
  completions: number,
  passingYards: number,
  touchdowns: number,
  interceptions: number,
): Fraction {
  return {
    numerator: 84 * passingYards + 3300 * touchdowns + 1000 * completions - 2000 * interceptions,
    denominator: 10 * attempts,
  };
}

/** The net punt average: `(puntYards − returnYardsAllowed − 20 × touchbacks) / punts`. */
export function netPunt(punts: number, puntYards: number, returnYardsAllowed: number, touchbacks: number): Fraction {
  return { numerator: puntYards - returnYardsAllowed - 20 * touchbacks, denominator: punts };
}
