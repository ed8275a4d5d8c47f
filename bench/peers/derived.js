/** The derived values of statistics, written for rows with all counters, and the order of the rows. */

const tenth = (value) => Math.round(value * 10) / 10;
const rate = (part, whole) => (part === null || whole === null || whole === 0 ? null : tenth(part / whole));
const percent = (part, whole) => rate(part === null ? null : part * 100, whole);
const isOff = (...values) => values.includes(null);
const sum = (...values) =>
  values.every((value) => value === null) ? null : values.reduce((all, value) => all + value, 0);
const times = (weight, value) => (value === null ? null : weight * value);

function passerRating(s) {
  const { passAttempts: a, completions: c, passingYards: y, passingTouchdowns: t, interceptionsThrown: i } = s;
  if (isOff(a, c, y, t, i) || a === 0) return null;
  const parts = [(c / a - 0.3) * 5, (y / a - 3) * 0.25, (t / a) * 20, 2.375 - (i / a) * 25];
  return tenth((parts.reduce((all, part) => all + Math.min(Math.max(part, 0), 2.375), 0) / 6) * 100);
}

function passingEfficiency(s) {
  const { passAttempts: a, completions: c, passingYards: y, passingTouchdowns: t, interceptionsThrown: i } = s;
  return isOff(a, c, y, t, i) || a === 0 ? null : tenth((8.4 * y + 330 * t + 100 * c - 200 * i) / a);
}

function netPunt({ punts, puntYards, returnYardsAllowed, touchbacks }) {
  return isOff(punts, puntYards, returnYardsAllowed, touchbacks) || punts === 0
    ? null
    : tenth((puntYards - returnYardsAllowed - 20 * touchbacks) / punts);
}

const derivations = {
  qb: (s) => ({
    completionPercentage: percent(s.completions, s.passAttempts),
    yardsPerAttempt: rate(s.passingYards, s.passAttempts),
    yardsPerCompletion: rate(s.passingYards, s.completions),
    touchdownPercentage: percent(s.passingTouchdowns, s.passAttempts),
    interceptionPercentage: percent(s.interceptionsThrown, s.passAttempts),
    passerRating: passerRating(s),
    passingEfficiency: passingEfficiency(s),
  }),
  offensive: (s) => ({
    catchPercentage: percent(s.receptions, s.targets),
    yardsPerReception: rate(s.receivingYards, s.receptions),
    yardsPerRush: rate(s.rushingYards, s.rushAttempts),
    scrimmageYards: sum(s.receivingYards, s.rushingYards),
    touchdowns: sum(s.receivingTouchdowns, s.rushingTouchdowns),
    pointsScored: sum(
      times(6, s.receivingTouchdowns),
      times(6, s.rushingTouchdowns),
      s.onePointConversions,
      times(2, s.twoPointConversions),
      times(3, s.threePointConversions),
    ),
  }),
  defensive: (s) => ({
    totalStops: sum(s.flagPulls, s.sacks),
    defensiveTouchdowns: sum(s.interceptionTouchdowns, s.fumbleReturnTouchdowns),
    takeaways: sum(s.interceptions, s.fumbleRecoveries),
    pointsScored: sum(
      times(6, s.interceptionTouchdowns),
      times(6, s.fumbleReturnTouchdowns),
      times(2, s.safeties),
      s.tryReturnPoints,
    ),
  }),
  punt: (s) => ({ puntAverage: rate(s.puntYards, s.punts), netPuntAverage: netPunt(s) }),
  return: (s) => ({
    kickReturnAverage: rate(s.kickReturnYards, s.kickReturns),
    puntReturnAverage: rate(s.puntReturnYards, s.puntReturns),
    returnYards: sum(s.kickReturnYards, s.puntReturnYards),
    returnTouchdowns: sum(s.kickReturnTouchdowns, s.puntReturnTouchdowns),
  }),
};

/** Returns the derived values of a row by its category. */
export function derivedOf(category, stats) {
  return derivations[category](stats);
}

const categoryOrder = ['qb', 'offensive', 'defensive', 'punt', 'return'];
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Compares two rows of statistics by team, category and player. */
export function compareRows(a, b) {
  return (
    compare(a.teamName, b.teamName) ||
    categoryOrder.indexOf(a.category) - categoryOrder.indexOf(b.category) ||
    compare(a.playerName, b.playerName) ||
    compare(String(a.playerId), String(b.playerId))
  );
}
