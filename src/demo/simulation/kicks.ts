import { type Ball, fieldLength, gainFrom, otherThan, type Side, zoneLength } from './field.js';
import type { GameSheet } from './game-sheet.js';
import type { Lineup } from './lineup.js';
import type { SeededRandom } from './seeded-random.js';

/** What a play is made of: chance, who plays, and where it is written down. */
export interface GameOnField {
  readonly random: SeededRandom;
  readonly sheet: GameSheet;
  readonly lineups: readonly [Lineup, Lineup];
}

/** Kicks off; where the receiving side takes over: at the far goal line where it returned the ball all the way. */
export function kickoffTo({ random, sheet, lineups }: GameOnField, side: Side): Ball {
  const { returner } = lineups[side];
  if (random.chance(0.15)) return { side, yardLine: zoneLength };
  const caughtAt = random.between(1, 8);
  const wanted = random.chance(0.03) ? fieldLength : random.between(6, 26);
  const yards = gainFrom({ yardLine: caughtAt }, wanted);
  sheet.gain(returner, 'kickReturn', yards);
  const yardLine = caughtAt + yards;
  if (yardLine === fieldLength) sheet.add(returner, 'return', 'kickReturnTouchdowns');
  return { side, yardLine };
}

/** Punts; where the receiving side takes over: at the far goal line where it returned the ball all the way. */
export function puntFrom(game: GameOnField, ball: Ball): Ball {
  const { random, sheet, lineups } = game;
  const { punter } = lineups[ball.side];
  const side = otherThan(ball.side);
  if (random.chance(0.15)) {
    sheet.add(punter, 'punt', 'declaredPunts');
    return { side, yardLine: zoneLength / 2 };
  }
  const toGoalLine = fieldLength - ball.yardLine;
  const distance = Math.min(random.between(18, 40), toGoalLine);
  sheet.gain(punter, 'punting', distance);
  if (distance === toGoalLine) {
    sheet.add(punter, 'punt', 'touchbacks');
    return { side, yardLine: zoneLength };
  }
  const landing = { side, yardLine: toGoalLine - distance };
  const yardLine = landing.yardLine + receivePunt(game, landing, punter);
  if (yardLine < zoneLength) sheet.add(punter, 'punt', 'puntsInside20');
  return { side, yardLine };
}

/** The yards of the return; 0 too where there is none. */
function receivePunt({ random, sheet, lineups }: GameOnField, { side, yardLine }: Ball, punter: string): number {
  const { returner } = lineups[side];
  if (random.chance(0.55)) {
    const yards = gainFrom({ yardLine }, random.chance(0.05) ? fieldLength : random.between(-1, 14));
    sheet.gain(returner, 'puntReturn', yards);
    sheet.add(punter, 'punt', 'returnYardsAllowed', yards);
    if (yardLine + yards === fieldLength) sheet.add(returner, 'return', 'puntReturnTouchdowns');
    return yards;
  }
  if (random.chance(0.6)) {
    sheet.add(punter, 'punt', 'fairCatches');
    sheet.add(returner, 'return', 'fairCatches');
  } else if (random.chance(0.15)) {
    sheet.add(returner, 'return', 'muffs');
  }
  return 0;
}
