import { average, count, defineCategory, longest, percentage, rate, yards, yardsFromZero } from '../definition.js';
import { ncaaPassingEfficiency, nflPasserRating } from '../formulas.js';

/**
 * Passing only: a quarterback's runs are `offensive`. Conversion tries are counted apart, never in attempts,
 * completions, yards or touchdowns.
 */
export const qb = defineCategory({
  counters: {
    passAttempts: count('Passes thrown, without conversion tries'),
    completions: count('Passes caught by the own team'),
    passingYards: yards('Yards gained by completed passes'),
    passingTouchdowns: count('Touchdowns by completed passes'),
    interceptionsThrown: count('Passes intercepted by the opponent'),
    longestPass: longest('Yards of the longest completed pass'),
    passingFirstDowns: count('First downs by completed passes'),
    sacksTaken: count('Times sacked'),
    sackYardsLost: yardsFromZero('Yards lost by sacks, as a number of 0 or more'),
    onePointPassAttempts: count('One-point conversion tries by pass'),
    onePointPassConversions: count('One-point conversion tries by pass that scored'),
    twoPointPassAttempts: count('Two-point conversion tries by pass'),
    twoPointPassConversions: count('Two-point conversion tries by pass that scored'),
    threePointPassAttempts: count('Three-point conversion tries by pass'),
    threePointPassConversions: count('Three-point conversion tries by pass that scored'),
    safetiesTaken: count('Safeties given up with the ball in hand'),
  },
  derived: {
    completionPercentage: percentage('completions per 100 passAttempts', 'completions', 'passAttempts'),
    yardsPerAttempt: average('passingYards / passAttempts', 'passingYards', 'passAttempts'),
    yardsPerCompletion: average('passingYards / completions', 'passingYards', 'completions'),
    touchdownPercentage: percentage('passingTouchdowns per 100 passAttempts', 'passingTouchdowns', 'passAttempts'),
    interceptionPercentage: percentage(
      'interceptionsThrown per 100 passAttempts',
      'interceptionsThrown',
      'passAttempts',
    ),
    passerRating: rate(
      'NFL passer rating, 0 to 158.3; null where one of its five counters is not tracked',
      ['passAttempts', 'completions', 'passingYards', 'passingTouchdowns', 'interceptionsThrown'],
      nflPasserRating,
    ),
    passingEfficiency: rate(
      'NCAA passing efficiency; null where one of its five counters is not tracked',
      ['passAttempts', 'completions', 'passingYards', 'passingTouchdowns', 'interceptionsThrown'],
      ncaaPassingEfficiency,
    ),
  },
  sumLimits: [
    { parts: ['completions', 'interceptionsThrown'], limit: 'passAttempts' },
    { parts: ['passingTouchdowns'], limit: 'completions' },
    { parts: ['onePointPassConversions'], limit: 'onePointPassAttempts' },
    { parts: ['twoPointPassConversions'], limit: 'twoPointPassAttempts' },
    { parts: ['threePointPassConversions'], limit: 'threePointPassAttempts' },
  ],
  playValues: [
    { values: ['passingYards', 'longestPass'], play: 'completions' },
    { values: ['sackYardsLost'], play: 'sacksTaken' },
  ],
});
