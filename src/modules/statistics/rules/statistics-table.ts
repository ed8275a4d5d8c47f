import { average, category, count, halfSteps, longestPlay, percentage, rate, sum, total, yards } from './definition.js';
import { ncaaPassingEfficiency, netPunt, nflPasserRating } from './formulas.js';

/** Passing only; runs are `offensive`. Conversion tries are not attempts, completions, yards or touchdowns. */
const qb = category({
  counters: {
    passAttempts: count('Passes thrown, excluding conversion tries'),
    completions: count('Passes completed'),
    passingYards: yards('Passing yards'),
    passingTouchdowns: count('Passing touchdowns'),
    interceptionsThrown: count('Passes intercepted by the opponent'),
    longestPass: longestPlay('Yards of the longest completed pass'),
    passingFirstDowns: count('First downs by passing'),
    sacksTaken: count('Times sacked'),
    sackYardsLost: count('Yards lost on sacks, as a non-negative number'),
    onePointPassAttempts: count('One-point conversion tries by pass'),
    onePointPassConversions: count('One-point conversion tries by pass that scored'),
    twoPointPassAttempts: count('Two-point conversion tries by pass'),
    twoPointPassConversions: count('Two-point conversion tries by pass that scored'),
    threePointPassAttempts: count('Three-point conversion tries by pass'),
    threePointPassConversions: count('Three-point conversion tries by pass that scored'),
    safetiesTaken: count('Safeties given up while holding the ball'),
  },
  derived: {
    completionPercentage: percentage('completions', 'passAttempts'),
    yardsPerAttempt: average('passingYards', 'passAttempts'),
    yardsPerCompletion: average('passingYards', 'completions'),
    touchdownPercentage: percentage('passingTouchdowns', 'passAttempts'),
    interceptionPercentage: percentage('interceptionsThrown', 'passAttempts'),
    passerRating: rate(
      'NFL passer rating, 0 to 158.3; null if one of its five counters is not tracked',
      ['passAttempts', 'completions', 'passingYards', 'passingTouchdowns', 'interceptionsThrown'],
      nflPasserRating,
    ),
    passingEfficiency: rate(
      'NCAA passing efficiency; null if one of its five counters is not tracked',
      ['passAttempts', 'completions', 'passingYards', 'passingTouchdowns', 'interceptionsThrown'],
      ncaaPassingEfficiency,
    ),
  },
  sumConstraints: [
    { parts: ['completions', 'interceptionsThrown'], limit: 'passAttempts' },
    { parts: ['passingTouchdowns'], limit: 'completions' },
    { parts: ['onePointPassConversions'], limit: 'onePointPassAttempts' },
    { parts: ['twoPointPassConversions'], limit: 'twoPointPassAttempts' },
    { parts: ['threePointPassConversions'], limit: 'threePointPassAttempts' },
  ],
  playConstraints: [
    { values: ['passingYards', 'longestPass'], play: 'completions' },
    { values: ['sackYardsLost'], play: 'sacksTaken' },
  ],
});

/** Receiving and rushing. Conversion tries are not receptions, rushes, yards or touchdowns. */
const offensive = category({
  counters: {
    targets: count('Passes thrown to the player'),
    receptions: count('Passes caught'),
    receivingYards: yards('Receiving yards'),
    receivingTouchdowns: count('Receiving touchdowns'),
    longestReception: longestPlay('Yards of the longest reception'),
    drops: count('Catchable passes dropped'),
    rushAttempts: count('Rushing attempts'),
    rushingYards: yards('Rushing yards'),
    rushingTouchdowns: count('Rushing touchdowns'),
    longestRush: longestPlay('Yards of the longest run'),
    firstDowns: count('First downs by receiving and rushing'),
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
    catchPercentage: percentage('receptions', 'targets'),
    yardsPerReception: average('receivingYards', 'receptions'),
    yardsPerRush: average('rushingYards', 'rushAttempts'),
    scrimmageYards: total('receivingYards', 'rushingYards'),
    touchdowns: total('receivingTouchdowns', 'rushingTouchdowns'),
    pointsScored: sum(
      '6 points per touchdown, 1, 2 or 3 points per conversion',
      [6, 'receivingTouchdowns'],
      [6, 'rushingTouchdowns'],
      [1, 'onePointConversions'],
      [2, 'twoPointConversions'],
      [3, 'threePointConversions'],
    ),
  },
  sumConstraints: [
    { parts: ['receptions', 'drops'], limit: 'targets' },
    { parts: ['onePointConversions'], limit: 'onePointAttempts' },
    { parts: ['twoPointConversions'], limit: 'twoPointAttempts' },
    { parts: ['threePointConversions'], limit: 'threePointAttempts' },
    { parts: ['fumblesLost'], limit: 'fumbles' },
  ],
  // A player who takes a lateral has yards and a touchdown without a reception or rush of their own.
  playConstraints: [],
});

/** Defense, with the returns of interceptions and fumbles. A sack is not also a flag pull. */
const defensive = category({
  counters: {
    flagPulls: halfSteps('Flags pulled, excluding sacks; a shared pull counts 0.5'),
    flagPullsForLoss: count('Flag pulls behind the line of scrimmage, included in flagPulls'),
    missedFlagPulls: count('Flag pulls missed'),
    sacks: halfSteps('Sacks; a shared sack counts 0.5'),
    sackYards: count('Yards that the opponent lost on sacks, as a non-negative number'),
    quarterbackHurries: count('Quarterback hurries'),
    passBreakups: count('Passes broken up'),
    interceptions: count('Passes intercepted'),
    interceptionReturnYards: yards('Interception return yards'),
    interceptionTouchdowns: count('Interceptions returned for a touchdown, also after a lateral'),
    longestInterceptionReturn: longestPlay('Yards of the longest interception return'),
    forcedFumbles: count('Fumbles forced'),
    fumbleRecoveries: count('Opponent fumbles recovered'),
    fumbleReturnYards: yards('Fumble return yards'),
    fumbleReturnTouchdowns: count('Fumble recoveries returned for a touchdown'),
    safeties: count('Safeties scored'),
    tryReturns: count('Opponent conversion tries returned'),
    tryReturnPoints: count('Points scored on returned conversion tries'),
    blockedPunts: count('Punts blocked'),
  },
  derived: {
    totalStops: total('flagPulls', 'sacks'),
    defensiveTouchdowns: total('interceptionTouchdowns', 'fumbleReturnTouchdowns'),
    takeaways: total('interceptions', 'fumbleRecoveries'),
    pointsScored: sum(
      '6 points per defensive touchdown, 2 points per safety, plus tryReturnPoints',
      [6, 'interceptionTouchdowns'],
      [6, 'fumbleReturnTouchdowns'],
      [2, 'safeties'],
      [1, 'tryReturnPoints'],
    ),
  },
  sumConstraints: [
    { parts: ['flagPullsForLoss'], limit: 'flagPulls' },
    { parts: ['fumbleReturnTouchdowns'], limit: 'fumbleRecoveries' },
  ],
  playConstraints: [
    { values: ['sackYards'], play: 'sacks' },
    { values: ['fumbleReturnYards'], play: 'fumbleRecoveries' },
  ],
});

/** Punting, as the kicking side. */
const punt = category({
  counters: {
    punts: count('Punts kicked'),
    declaredPunts: count('Punts declared but not kicked'),
    puntYards: yards('Punt yards'),
    longestPunt: longestPlay('Yards of the longest punt'),
    puntsInside20: count("Punts that ended inside the opponent's 20-yard line"),
    touchbacks: count('Punts that ended in a touchback'),
    blocked: count('Punts blocked by the opponent'),
    fairCatches: count('Punts that ended in a fair catch by the opponent'),
    returnYardsAllowed: yards('Yards that the opponent gained on punt returns'),
  },
  derived: {
    puntAverage: average('puntYards', 'punts'),
    netPuntAverage: rate(
      '(puntYards - returnYardsAllowed - 20 * touchbacks) / punts; null if one of the four is not tracked',
      ['punts', 'puntYards', 'returnYardsAllowed', 'touchbacks'],
      netPunt,
    ),
  },
  sumConstraints: [{ parts: ['puntsInside20', 'touchbacks'], limit: 'punts' }],
  playConstraints: [{ values: ['puntYards', 'longestPunt', 'returnYardsAllowed'], play: 'punts' }],
});

/** Returns of kicks and punts; interception returns are `defensive`. */
const returning = category({
  counters: {
    kickReturns: count('Kickoffs returned'),
    kickReturnYards: yards('Kick return yards'),
    kickReturnTouchdowns: count('Kick return touchdowns'),
    longestKickReturn: longestPlay('Yards of the longest kick return'),
    puntReturns: count('Punts returned'),
    puntReturnYards: yards('Punt return yards'),
    puntReturnTouchdowns: count('Punt return touchdowns'),
    longestPuntReturn: longestPlay('Yards of the longest punt return'),
    fairCatches: count('Fair catches made'),
    muffs: count('Kicks and punts muffed'),
  },
  derived: {
    kickReturnAverage: average('kickReturnYards', 'kickReturns'),
    puntReturnAverage: average('puntReturnYards', 'puntReturns'),
    returnYards: total('kickReturnYards', 'puntReturnYards'),
    returnTouchdowns: total('kickReturnTouchdowns', 'puntReturnTouchdowns'),
  },
  sumConstraints: [],
  playConstraints: [],
});

/** The counters, derived values and rules of each category, in response order. */
export const statisticsTable = { qb, offensive, defensive, punt, return: returning } as const;

export type StatisticsCategory = keyof typeof statisticsTable;

export const statisticsCategories = Object.keys(statisticsTable) as StatisticsCategory[];

/** Returns whether a value is the exact name of a category. */
export function isStatisticsCategory(value: unknown): value is StatisticsCategory {
  return typeof value === 'string' && Object.hasOwn(statisticsTable, value);
}
