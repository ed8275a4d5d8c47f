import { average, count, defineCategory, longest, rate, yards } from '../definition.js';
import { netPunt } from '../formulas.js';

/** Punting, as the kicking side. */
export const punt = defineCategory({
  counters: {
    punts: count('Punts kicked'),
    declaredPunts: count('Punts declared and not kicked'),
    puntYards: yards('Yards of the punts'),
    longestPunt: longest('Yards of the longest punt'),
    puntsInside20: count("Punts that ended inside the opponent's 20-yard line"),
    touchbacks: count('Punts that ended in a touchback'),
    blocked: count('Punts blocked by the opponent'),
    fairCatches: count('Punts that ended in a fair catch by the opponent'),
    returnYardsAllowed: yards('Yards the opponent gained by punt returns'),
  },
  derived: {
    puntAverage: average('puntYards / punts', 'puntYards', 'punts'),
    netPuntAverage: rate(
      '(puntYards - returnYardsAllowed - 20 * touchbacks) / punts; null where one of the four is not tracked',
      ['punts', 'puntYards', 'returnYardsAllowed', 'touchbacks'],
      netPunt,
    ),
  },
  sumLimits: [{ parts: ['puntsInside20', 'touchbacks'], limit: 'punts' }],
  playValues: [{ values: ['puntYards', 'longestPunt', 'returnYardsAllowed'], play: 'punts' }],
});
