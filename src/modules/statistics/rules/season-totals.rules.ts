import type { Steps } from '../../../http/turns.js';
import { compareNames, compareText } from '../../../validation/text.js';
import type { PlayerStatistics } from '../player-statistics.schema.js';
import type { SeasonTotals } from '../season-totals.dto.js';
import { rateCounter } from './counters.js';
import type { Counters } from './definition.js';
import { type StatisticsCategory, statisticsTable } from './statistics-table.js';

/** What a list of totals can be sorted by: the counters and derived values of the category. */
export function sortFieldsOf(category: StatisticsCategory): string[] {
  const { counters, derived } = statisticsTable[category];
  return [...Object.keys(counters), ...Object.keys(derived)];
}

// MongoDB compares objects by their first field that differs.
const latest = Object.fromEntries(
  ['updatedAt', 'playerName', 'jerseyNumber', 'teamId', 'teamName'].map((field) => [field, `$${field}`]),
);

/** Returns whether the total of a counter is its greatest value; all others are added up. */
function isGreatest(counter: string): boolean {
  return counter.startsWith('longest');
}

/**
 * Builds the stages that total the counters of rows by player. MongoDB ignores `null`, so that the greatest value is `null` if
 * no row tracks the counter.
 */
export function totalStages(category: StatisticsCategory): object[] {
  const names = Object.keys(statisticsTable[category].counters);
  const ofEach = (stage: (name: string) => object) => Object.assign({}, ...names.map(stage)) as object;
  const accumulators = ofEach((name) => ({
    ...(!isGreatest(name) && { [`sum_${name}`]: { $sum: `$stats.${name}` } }),
    [`max_${name}`]: { $max: `$stats.${name}` },
  }));
  const stats = ofEach((name) => ({
    [name]: isGreatest(name) ? `$max_${name}` : { $cond: [{ $eq: [`$max_${name}`, null] }, null, `$sum_${name}`] },
  }));
  const rates = Object.entries(statisticsTable[category].derived).filter(([, { isRate }]) => isRate);
  const ofRates = rates.flatMap(([rate, { counters }]) => {
    // The sum of values of which one is missing or null is null.
    const areTracked = { $gt: [{ $add: counters.map((name) => `$stats.${name}`) }, null] };
    return counters.map((name) => [rateCounter(rate, name), { $cond: [areTracked, `$stats.${name}`, null] }] as const);
  });
  const rateSums = ofRates.flatMap(([key, value]) => [
    [`sum_${key}`, { $sum: value }],
    [`max_${key}`, { $max: value }],
  ]);
  const rated = ofRates.map(([key]) => [key, { $cond: [{ $eq: [`$max_${key}`, null] }, null, `$sum_${key}`] }]);
  const sums = { ...accumulators, ...(Object.fromEntries(rateSums) as object) };
  return [
    { $group: { _id: '$playerId', games: { $sum: 1 }, latest: { $max: latest }, ...sums } },
    {
      $project: {
        _id: 0,
        playerId: { $toString: '$_id' },
        games: 1,
        latest: 1,
        stats,
        rated: Object.fromEntries(rated) as object,
      },
    },
  ];
}

/** The counters of a player in some games, and the player as of the latest one. */
export interface PlayerSums {
  readonly playerId: string;
  readonly games: number;
  readonly latest: Pick<PlayerStatistics, 'updatedAt' | 'playerName' | 'jerseyNumber' | 'teamId' | 'teamName'>;
  readonly stats: Counters;
  /** The sums of the counters of each rate over the games that track all of them. */
  readonly rated: Counters;
}

/** Adds up what players did in some games and in others. */
export function* mergeSums(earlier: readonly PlayerSums[], later: readonly PlayerSums[]): Steps<PlayerSums[]> {
  const merged = new Map<string, PlayerSums>();
  for (const sums of [...earlier, ...later]) {
    yield;
    const known = merged.get(sums.playerId) ?? { ...sums, games: 0, stats: undefined, rated: undefined };
    const { latest: row } = known.latest.updatedAt > sums.latest.updatedAt ? known : sums;
    const stats = mergeCounters(known.stats, sums.stats);
    const rated = mergeCounters(known.rated, sums.rated);
    merged.set(sums.playerId, { ...sums, games: known.games + sums.games, latest: row, stats, rated });
  }
  return [...merged.values()];
}

function mergeCounters(one: Counters | undefined, other: Counters): Counters {
  if (one === undefined) return other;
  const merged = Object.entries(one).map(([name, a]) => {
    const b = other[name] ?? null;
    return [name, a === null || b === null ? (a ?? b) : isGreatest(name) ? Math.max(a, b) : a + b];
  });
  return Object.fromEntries(merged) as Counters;
}

type SortableTotal = Pick<SeasonTotals, 'playerName' | 'playerId' | 'stats' | 'derived'>;

/** Compares two totals by a counter or derived value, greatest first and untracked last, then by name and ID. */
export function compareTotals(a: SortableTotal, b: SortableTotal, sort: string | undefined): number {
  const valueOf = ({ stats, derived }: SortableTotal) =>
    sort === undefined ? 0 : (stats[sort] ?? derived[sort] ?? -Infinity);
  const [one, two] = [valueOf(a), valueOf(b)];
  if (one !== two) return two > one ? 1 : -1;
  return compareNames(a.playerName, b.playerName) || compareText(a.playerId, b.playerId);
}
