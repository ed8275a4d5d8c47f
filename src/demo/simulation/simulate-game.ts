import { type Ball, fieldLength, gainFrom, lineAfter, otherThan, type Outcome, type Side, type Snap } from './field.js';
import { GameSheet, type SheetRow } from './game-sheet.js';
import { type GameOnField, kickoffTo, puntFrom } from './kicks.js';
import type { Lineup } from './lineup.js';
import { SeededRandom } from './seeded-random.js';

/** What is to be played. */
export interface GameScript {
  /** The same seed and lineups give the same game. */
  readonly seed: number;
  readonly lineups: readonly [Lineup, Lineup];
  /** How many drives both sides have together; fewer than a whole game's is a game that is still on. */
  readonly drives: number;
}

/** What was played. */
export interface SimulatedGame {
  readonly rows: readonly SheetRow[];
  readonly score: readonly [number, number];
}

const drivesOfHalf = 10;

/** The drives of a game that is over. */
export const drivesOfGame = 2 * drivesOfHalf;

/**
 * Plays a game of flag football play by play, so that its counters are in balance as in a real one: what one side
 * gains the other allows. A pure function; the probabilities are rough guesses at a recreational game.
 */
export function simulateGame({ seed, lineups, drives }: GameScript): SimulatedGame {
  const game = new Game(new SeededRandom(seed), lineups);
  game.play(drives);
  return { rows: game.sheet.rows, score: game.score };
}

class Game implements GameOnField {
  readonly sheet = new GameSheet();
  readonly score: [number, number] = [0, 0];

  constructor(
    readonly random: SeededRandom,
    readonly lineups: readonly [Lineup, Lineup],
  ) {
    // Those who are sure to be tracked have a row, also where nothing comes their way.
    for (const { quarterback, punter, returner } of lineups) {
      this.sheet.open(quarterback, 'qb');
      this.sheet.open(punter, 'punt');
      this.sheet.open(returner, 'return');
    }
  }

  play(drives: number): void {
    let ball = this.kickoff(0);
    for (let drive = 0; drive < drives; drive++) {
      if (drive === drivesOfHalf) ball = this.kickoff(1);
      ball = this.drive(ball);
    }
  }

  private drive({ side, yardLine: start }: Ball): Ball {
    let yardLine = start;
    for (let down = 1, lineToGain = lineAfter(start); down <= 4; down++) {
      if (down === 4 && yardLine < fieldLength - 30 && this.random.chance(0.85)) {
        return this.unlessReturnedAllTheWay(puntFrom(this, { side, yardLine }));
      }
      const snap = { side, yardLine, lineToGain };
      const outcome = this.random.chance(0.68) ? this.passPlay(snap) : this.run(snap);
      if ('next' in outcome) return outcome.next;
      yardLine += outcome.yards;
      if (yardLine < lineToGain) continue;
      lineToGain = lineAfter(yardLine);
      down = 0;
    }
    return this.turnover({ side, yardLine });
  }

  private passPlay(snap: Snap): Outcome {
    const { quarterback, receivers } = this.lineups[snap.side];
    const { defenders, rushers, coverage } = this.lineups[otherThan(snap.side)];
    if (this.random.chance(0.07)) return this.sack(snap);
    if (this.random.chance(0.08)) this.sheet.add(this.random.pick(rushers), 'defensive', 'quarterbackHurries');
    this.sheet.add(quarterback, 'qb', 'passAttempts');
    // Now and then the ball is thrown away, to nobody.
    if (this.random.chance(0.05)) return { yards: 0 };
    const receiver = this.random.pick(receivers);
    this.sheet.add(receiver, 'offensive', 'targets');
    if (this.random.chance(0.62)) return this.completion(snap, receiver);
    if (this.random.chance(0.1)) return this.interception(snap);
    if (this.random.chance(0.2)) this.sheet.add(receiver, 'offensive', 'drops');
    else if (this.random.chance(0.4)) {
      const defender = this.random.chance(0.7) ? this.random.pick(coverage) : this.random.pick(defenders);
      this.sheet.add(defender, 'defensive', 'passBreakups');
    }
    return { yards: 0 };
  }

  private completion(snap: Snap, receiver: string): Outcome {
    const { quarterback } = this.lineups[snap.side];
    const deep = this.random.chance(0.12);
    const yards = gainFrom(snap, deep ? this.random.between(18, 45) : this.random.between(-2, 15));
    this.sheet.gain(quarterback, 'passing', yards);
    this.sheet.gain(receiver, 'receiving', yards);
    if (snap.yardLine + yards >= snap.lineToGain) this.sheet.add(quarterback, 'qb', 'passingFirstDowns');
    if (snap.yardLine + yards === fieldLength) {
      this.sheet.add(quarterback, 'qb', 'passingTouchdowns');
      this.sheet.add(receiver, 'offensive', 'receivingTouchdowns');
    }
    return this.endOfCarry(snap, receiver, yards);
  }

  private run(snap: Snap): Outcome {
    const carrier = this.random.pick(this.lineups[snap.side].carriers);
    const yards = gainFrom(snap, this.random.chance(0.05) ? this.random.between(12, 40) : this.random.between(-3, 9));
    this.sheet.gain(carrier, 'rushing', yards);
    if (snap.yardLine + yards === fieldLength) this.sheet.add(carrier, 'offensive', 'rushingTouchdowns');
    return this.endOfCarry(snap, carrier, yards);
  }

  private endOfCarry(snap: Snap, carrier: string, yards: number): Outcome {
    const yardLine = snap.yardLine + yards;
    const { defenders } = this.lineups[otherThan(snap.side)];
    if (yardLine >= snap.lineToGain) this.sheet.add(carrier, 'offensive', 'firstDowns');
    if (yards > 8 && this.random.chance(0.5)) {
      this.sheet.add(this.random.pick(defenders), 'defensive', 'missedFlagPulls');
    }
    if (yardLine === fieldLength) return { next: this.touchdown(snap.side) };
    if (this.random.chance(0.02)) return this.fumble({ side: snap.side, yardLine }, carrier, yards);
    // The others step out of bounds.
    if (this.random.chance(0.88)) {
      const defender = this.random.pick(defenders);
      this.sheet.add(defender, 'defensive', 'flagPulls');
      if (yards < 0) this.sheet.add(defender, 'defensive', 'flagPullsForLoss');
    }
    return { yards };
  }

  private sack(snap: Snap): Outcome {
    const { quarterback } = this.lineups[snap.side];
    const { rushers } = this.lineups[otherThan(snap.side)];
    const sacker = this.random.pick(rushers);
    const helper = this.random.chance(0.25) ? rushers.find((rusher) => rusher !== sacker) : undefined;
    const loss = Math.min(this.random.between(1, 7), snap.yardLine);
    this.sheet.add(quarterback, 'qb', 'sacksTaken');
    this.sheet.add(quarterback, 'qb', 'sackYardsLost', loss);
    this.sheet.add(sacker, 'defensive', 'sacks', helper === undefined ? 1 : 0.5);
    this.sheet.add(sacker, 'defensive', 'sackYards', helper === undefined ? loss : Math.ceil(loss / 2));
    if (helper !== undefined) {
      this.sheet.add(helper, 'defensive', 'sacks', 0.5);
      this.sheet.add(helper, 'defensive', 'sackYards', Math.floor(loss / 2));
    }
    if (loss < snap.yardLine) return { yards: -loss };

    this.sheet.add(quarterback, 'qb', 'safetiesTaken');
    this.sheet.add(sacker, 'defensive', 'safeties');
    this.score[otherThan(snap.side)] += 2;
    return { next: this.kickoff(otherThan(snap.side)) };
  }

  private interception(snap: Snap): Outcome {
    const defender = this.random.pick(this.lineups[otherThan(snap.side)].coverage);
    const yardLine = Math.min(snap.yardLine + this.random.between(2, 25), fieldLength - 1);
    const scores = this.random.chance(0.12);
    const yards = scores ? yardLine : this.random.between(0, Math.min(15, yardLine - 1));
    this.sheet.add(this.lineups[snap.side].quarterback, 'qb', 'interceptionsThrown');
    this.sheet.gain(defender, 'interceptionReturn', yards);
    if (scores) this.sheet.add(defender, 'defensive', 'interceptionTouchdowns');
    const side = otherThan(snap.side);
    return { next: scores ? this.touchdown(side) : this.turnover({ side: snap.side, yardLine: yardLine - yards }) };
  }

  private fumble(ball: Ball, carrier: string, yards: number): Outcome {
    const { defenders } = this.lineups[otherThan(ball.side)];
    this.sheet.add(carrier, 'offensive', 'fumbles');
    if (this.random.chance(0.6)) this.sheet.add(this.random.pick(defenders), 'defensive', 'forcedFumbles');
    if (this.random.chance(0.5)) return { yards };

    const defender = this.random.pick(defenders);
    const scores = this.random.chance(0.1);
    const returned = scores ? ball.yardLine : this.random.between(0, Math.min(12, ball.yardLine - 1));
    this.sheet.add(carrier, 'offensive', 'fumblesLost');
    this.sheet.add(defender, 'defensive', 'fumbleRecoveries');
    this.sheet.add(defender, 'defensive', 'fumbleReturnYards', returned);
    if (!scores) return { next: this.turnover({ side: ball.side, yardLine: ball.yardLine - returned }) };
    this.sheet.add(defender, 'defensive', 'fumbleReturnTouchdowns');
    return { next: this.touchdown(otherThan(ball.side)) };
  }

  private kickoff(receiving: Side): Ball {
    return this.unlessReturnedAllTheWay(kickoffTo(this, receiving));
  }

  private unlessReturnedAllTheWay(ball: Ball): Ball {
    return ball.yardLine === fieldLength ? this.touchdown(ball.side) : ball;
  }

  private turnover({ side, yardLine }: Ball): Ball {
    return { side: otherThan(side), yardLine: fieldLength - yardLine };
  }

  private touchdown(side: Side): Ball {
    this.score[side] += 6;
    this.conversionTry(side);
    return this.kickoff(otherThan(side));
  }

  private conversionTry(side: Side): void {
    const { quarterback, receivers, carriers } = this.lineups[side];
    const { points, word, succeeds } = this.random.pick<Try>(tries);
    const byPass = this.random.chance(0.85);
    const good = this.random.chance(succeeds);
    const player = this.random.pick(byPass ? receivers : carriers);
    this.sheet.add(player, 'offensive', `${word}PointAttempts`);
    if (byPass) this.sheet.add(quarterback, 'qb', `${word}PointPassAttempts`);
    if (good) {
      this.sheet.add(player, 'offensive', `${word}PointConversions`);
      if (byPass) this.sheet.add(quarterback, 'qb', `${word}PointPassConversions`);
      this.score[side] += points;
    } else if (byPass && this.random.chance(0.08)) {
      const defender = this.random.pick(this.lineups[otherThan(side)].coverage);
      this.sheet.add(defender, 'defensive', 'tryReturns');
      this.sheet.add(defender, 'defensive', 'tryReturnPoints', 2);
      this.score[otherThan(side)] += 2;
    }
  }
}

interface Try {
  readonly points: 1 | 2 | 3;
  readonly word: 'one' | 'two' | 'three';
  /** How often, of 1. */
  readonly succeeds: number;
}

/** The tries after a touchdown, the usual one first. */
const tries: readonly [Try, ...Try[]] = [
  { points: 1, word: 'one', succeeds: 0.62 },
  { points: 2, word: 'two', succeeds: 0.45 },
  { points: 3, word: 'three', succeeds: 0.3 },
];
