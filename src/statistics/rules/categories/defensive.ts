import { count, defineCategory, halves, longest, sum, yards, yardsFromZero } from '../definition.js';

/** Defence, with the returns of interceptions and fumbles. A sack is not also a flag pull. */
export const defensive = defineCategory({
  counters: {
    flagPulls: count('Flags pulled, without sacks'),
    flagPullsForLoss: count('Flag pulls behind the line of scrimmage, among flagPulls'),
    missedFlagPulls: count('Flag pulls missed'),
    sacks: halves('Sacks; a shared one counts 0.5'),
    sackYards: yardsFromZero('Yards the opponent lost by the sacks, as a number of 0 or more'),
    quarterbackHurries: count('Hurries of the quarterback'),
    passBreakups: count('Passes broken up'),
    interceptions: count('Passes intercepted'),
    interceptionReturnYards: yards('Yards gained by interception returns'),
    interceptionTouchdowns: count('Interceptions returned for a touchdown, among interceptions'),
    longestInterceptionReturn: longest('Yards of the longest interception return'),
    forcedFumbles: count('Fumbles forced'),
    fumbleRecoveries: count("The opponent's fumbles recovered"),
    fumbleReturnYards: yards('Yards gained by fumble returns'),
    fumbleReturnTouchdowns: count('Fumble recoveries returned for a touchdown'),
    safeties: count('Safeties scored'),
    tryReturns: count('Conversion tries of the opponent returned'),
    tryReturnPoints: count('Points scored by returns of conversion tries'),
    blockedPunts: count('Punts blocked'),
  },
  derived: {
    totalStops: sum('flagPulls + sacks', [1, 'flagPulls'], [1, 'sacks']),
    defensiveTouchdowns: sum(
      'interceptionTouchdowns + fumbleReturnTouchdowns',
      [1, 'interceptionTouchdowns'],
      [1, 'fumbleReturnTouchdowns'],
    ),
    takeaways: sum('interceptions + fumbleRecoveries', [1, 'interceptions'], [1, 'fumbleRecoveries']),
    pointsScored: sum(
      '6 points a defensive touchdown, 2 a safety, and tryReturnPoints',
      [6, 'interceptionTouchdowns'],
      [6, 'fumbleReturnTouchdowns'],
      [2, 'safeties'],
      [1, 'tryReturnPoints'],
    ),
  },
  sumLimits: [
    { parts: ['flagPullsForLoss'], limit: 'flagPulls' },
    { parts: ['interceptionTouchdowns'], limit: 'interceptions' },
    { parts: ['fumbleReturnTouchdowns'], limit: 'fumbleRecoveries' },
  ],
  playValues: [
    { values: ['sackYards'], play: 'sacks' },
    { values: ['interceptionReturnYards', 'longestInterceptionReturn'], play: 'interceptions' },
    { values: ['fumbleReturnYards'], play: 'fumbleRecoveries' },
  ],
});
