/** Statistics of players with all counters and valid sums; different values for each index. */
const categories = {
  qb: (n) => ({
    ...{ passAttempts: 20 + n, completions: 11 + n, passingYards: 140 + 7 * n, passingTouchdowns: 2 },
    ...{ interceptionsThrown: 1, longestPass: 31 + n, passingFirstDowns: 6, sacksTaken: 2, sackYardsLost: 9 + n },
    ...{ onePointPassAttempts: 2, onePointPassConversions: 1, twoPointPassAttempts: 1, twoPointPassConversions: 1 },
    ...{ threePointPassAttempts: 1, threePointPassConversions: 0, safetiesTaken: 0 },
  }),
  offensive: (n) => ({
    ...{ targets: 7 + n, receptions: 4 + n, receivingYards: 51 + 3 * n, receivingTouchdowns: 1, longestReception: 22 },
    ...{ drops: 1, rushAttempts: 3, rushingYards: 17 - n, rushingTouchdowns: 1, longestRush: 9, firstDowns: 4 },
    ...{ onePointAttempts: 1, onePointConversions: 1, twoPointAttempts: 1, twoPointConversions: 0 },
    ...{ threePointAttempts: 0, threePointConversions: 0, fumbles: 1, fumblesLost: 0 },
  }),
  defensive: (n) => ({
    ...{ flagPulls: 6 + n, flagPullsForLoss: 2, missedFlagPulls: 1, sacks: 1.5, sackYards: 8, quarterbackHurries: n },
    ...{ passBreakups: 2, interceptions: 1, interceptionReturnYards: 14 + n, interceptionTouchdowns: 0 },
    ...{ longestInterceptionReturn: 14, forcedFumbles: 1, fumbleRecoveries: 1, fumbleReturnYards: 5 },
    ...{ fumbleReturnTouchdowns: 1, safeties: 0, tryReturns: 0, tryReturnPoints: 0, blockedPunts: 0 },
  }),
  punt: (n) => ({
    ...{ punts: 3 + n, declaredPunts: 1, puntYards: 97 + 11 * n, longestPunt: 41, puntsInside20: 1, touchbacks: 1 },
    ...{ blocked: 0, fairCatches: 1, returnYardsAllowed: 12 },
  }),
  return: (n) => ({
    ...{ kickReturns: 2 + n, kickReturnYards: 45 + n, kickReturnTouchdowns: 0, longestKickReturn: 27, puntReturns: 2 },
    ...{ puntReturnYards: 19 + n, puntReturnTouchdowns: 1, longestPuntReturn: 15, fairCatches: 1, muffs: 0 },
  }),
};

/** Returns a row for each player in each of the five categories. */
export function statisticsRows(playerIds) {
  return playerIds.flatMap((playerId, place) =>
    Object.entries(categories).map(([category, stats]) => ({ playerId, category, stats: stats(place) })),
  );
}
