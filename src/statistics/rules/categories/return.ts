import { average, count, defineCategory, longest, sum, yards } from '../definition.js';

/** Returns of kicks and punts; interception returns are `defensive`. */
export const returning = defineCategory({
  counters: {
    kickReturns: count('Kickoffs returned'),
    kickReturnYards: yards('Yards gained by kick returns'),
    kickReturnTouchdowns: count('Kick returns for a touchdown'),
    longestKickReturn: longest('Yards of the longest kick return'),
    puntReturns: count('Punts returned'),
    puntReturnYards: yards('Yards gained by punt returns'),
    puntReturnTouchdowns: count('Punt returns for a touchdown'),
    longestPuntReturn: longest('Yards of the longest punt return'),
    fairCatches: count('Fair catches made'),
    muffs: count('Kicks and punts muffed'),
  },
  derived: {
    kickReturnAverage: average('kickReturnYards / kickReturns', 'kickReturnYards', 'kickReturns'),
    puntReturnAverage: average('puntReturnYards / puntReturns', 'puntReturnYards', 'puntReturns'),
    returnYards: sum('kickReturnYards + puntReturnYards', [1, 'kickReturnYards'], [1, 'puntReturnYards']),
    returnTouchdowns: sum(
      'kickReturnTouchdowns + puntReturnTouchdowns',
      [1, 'kickReturnTouchdowns'],
      [1, 'puntReturnTouchdowns'],
    ),
  },
  sumLimits: [
    { parts: ['kickReturnTouchdowns'], limit: 'kickReturns' },
    { parts: ['puntReturnTouchdowns'], limit: 'puntReturns' },
  ],
  playValues: [
    { values: ['kickReturnYards', 'longestKickReturn'], play: 'kickReturns' },
    { values: ['puntReturnYards', 'longestPuntReturn'], play: 'puntReturns' },
  ],
});
