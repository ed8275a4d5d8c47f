/** Yards from goal line to goal line, and between the lines that give a first down. */
export const fieldLength = 80;
export const zoneLength = 20;

/** One of the two teams of a game. */
export type Side = 0 | 1;

/** Who has the ball, and how many yards from the own goal line. */
export interface Ball {
  readonly side: Side;
  readonly yardLine: number;
}

/** A play's beginning. */
export interface Snap extends Ball {
  readonly lineToGain: number;
}

/** What a play leads to: yards for the same drive, or the ball with which the next drive begins. */
export type Outcome = { readonly yards: number } | { readonly next: Ball };

export function otherThan(side: Side): Side {
  return side === 0 ? 1 : 0;
}

/** The next line that gives a first down, or the goal line. */
export function lineAfter(yardLine: number): number {
  return Math.min((Math.floor(yardLine / zoneLength) + 1) * zoneLength, fieldLength);
}

/** The yards that are left of those wanted: a goal line ends a gain, and only a sack loses so much as to be a safety. */
export function gainFrom({ yardLine }: Pick<Ball, 'yardLine'>, wanted: number): number {
  return Math.max(1 - yardLine, Math.min(wanted, fieldLength - yardLine));
}
