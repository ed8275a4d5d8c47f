import { average, count, defineCategory, longest, percentage, sum, yards } from '../definition.js';

/** Receiving and rushing. Conversion tries are counted apart, never in receptions, rushes, yards or touchdowns. */
export const offensive = defineCategory({
  counters: {
    targets: count('Passes thrown to the player'),
    receptions: count('Passes caught'),
    receivingYards: yards('Yards gained by receptions'),
    receivingTouchdowns: count('Touchdowns by receptions'),
    longestReception: longest('Yards of the longest reception'),
    drops: count('Catchable passes dropped'),
    rushAttempts: count('Runs with the ball'),
    rushingYards: yards('Yards gained by runs'),
    rushingTouchdowns: count('Touchdowns by runs'),
    longestRush: longest('Yards of the longest run'),
    firstDowns: count('First downs by receptions and runs'),
    onePointAttempts: count('One-point conversion tries'),
    onePointConversions: count('One-point conversion tries that scored'),
    twoPointAttempts: count('Two-point conversion tries'),
    twoPointConversions: count('Two-point conversion tries that scored'),
    threePointAttempts: count('Three-point conversion tries'),
    threePointConversions: count('Three-point conversion tries that scored'),
    fumbles: count('Fumbles'),
    fumblesLost: count('Fumbles lost to the opponent'),
  },
  derived: {
    catchPercentage: percentage('receptions per 100 targets', 'receptions', 'targets'),
    yardsPerReception: average('receivingYards / receptions', 'receivingYards', 'receptions'),
    yardsPerRush: average('rushingYards / rushAttempts', 'rushingYards', 'rushAttempts'),
    scrimmageYards: sum('receivingYards + rushingYards', [1, 'receivingYards'], [1, 'rushingYards']),
    touchdowns: sum('receivingTouchdowns + rushingTouchdowns', [1, 'receivingTouchdowns'], [1, 'rushingTouchdowns']),
    pointsScored: sum(
      '6 points a touchdown, 1, 2 or 3 a conversion',
      [6, 'receivingTouchdowns'],
      [6, 'rushingTouchdowns'],
      [1, 'onePointConversions'],
      [2, 'twoPointConversions'],
      [3, 'threePointConversions'],
    ),
  },
  sumLimits: [
    { parts: ['receptions', 'drops'], limit: 'targets' },
    { parts: ['receivingTouchdowns'], limit: 'receptions' },
    { parts: ['rushingTouchdowns'], limit: 'rushAttempts' },
    { parts: ['onePointConversions'], limit: 'onePointAttempts' },
    { parts: ['twoPointConversions'], limit: 'twoPointAttempts' },
    { parts: ['threePointConversions'], limit: 'threePointAttempts' },
    { parts: ['fumblesLost'], limit: 'fumbles' },
  ],
  playValues: [
    { values: ['receivingYards', 'longestReception'], play: 'receptions' },
    { values: ['rushingYards', 'longestRush'], play: 'rushAttempts' },
  ],
});
