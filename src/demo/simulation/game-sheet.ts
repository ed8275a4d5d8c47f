import { defensive } from '../../statistics/rules/categories/defensive.js';
import { offensive } from '../../statistics/rules/categories/offensive.js';
import { punt } from '../../statistics/rules/categories/punt.js';
import { qb } from '../../statistics/rules/categories/qb.js';
import { returning } from '../../statistics/rules/categories/return.js';

const categories = { qb, offensive, defensive, punt, return: returning };
type Category = keyof typeof categories;
type CounterOf<C extends Category> = keyof (typeof categories)[C]['counters'] & string;
type GainOf<C extends Category> = { category: C } & Record<'plays' | 'yards' | 'longest', CounterOf<C>>;
type Gain = { [C in Category]: GainOf<C> }[Category];

/** The plays that gain yards: which counters they move. */
const gains = {
  passing: { category: 'qb', plays: 'completions', yards: 'passingYards', longest: 'longestPass' },
  receiving: { category: 'offensive', plays: 'receptions', yards: 'receivingYards', longest: 'longestReception' },
  rushing: { category: 'offensive', plays: 'rushAttempts', yards: 'rushingYards', longest: 'longestRush' },
  punting: { category: 'punt', plays: 'punts', yards: 'puntYards', longest: 'longestPunt' },
  kickReturn: { category: 'return', plays: 'kickReturns', yards: 'kickReturnYards', longest: 'longestKickReturn' },
  puntReturn: { category: 'return', plays: 'puntReturns', yards: 'puntReturnYards', longest: 'longestPuntReturn' },
  interceptionReturn: {
    category: 'defensive',
    plays: 'interceptions',
    yards: 'interceptionReturnYards',
    longest: 'longestInterceptionReturn',
  },
} as const satisfies Record<string, Gain>;

/** One row of a game's statistics, as the service takes it. */
export interface SheetRow {
  readonly playerId: string;
  readonly category: Category;
  /** All counters of the category: this sheet tracks every one. */
  readonly stats: Record<string, number>;
}

/** The statistician's sheet of one game: plays are written down, rows come out. */
export class GameSheet {
  private readonly byPlayer = new Map<string, SheetRow>();

  /** The rows in the order in which they were begun. */
  get rows(): SheetRow[] {
    return [...this.byPlayer.values()];
  }

  /** Begins a player's row, with zeros, where there is none. */
  open(playerId: string, category: Category): SheetRow {
    const key = `${playerId} ${category}`;
    const begun = this.byPlayer.get(key);
    if (begun !== undefined) return begun;
    const counters = Object.keys(categories[category].counters);
    const row = { playerId, category, stats: Object.fromEntries(counters.map((name) => [name, 0])) };
    this.byPlayer.set(key, row);
    return row;
  }

  /** Adds to a counter. */
  add<C extends Category>(playerId: string, category: C, counter: CounterOf<C>, amount = 1): void {
    const { stats } = this.open(playerId, category);
    stats[counter] = (stats[counter] ?? 0) + amount;
  }

  /** Writes down a play with its yards, which may be its player's longest. */
  gain(playerId: string, kind: keyof typeof gains, yards: number): void {
    const { category, plays, yards: total, longest }: Record<keyof Gain, string> & { category: Category } = gains[kind];
    const { stats } = this.open(playerId, category);
    // A first play that loses yards is the longest so far, although a zero stands there.
    stats[longest] = stats[plays] === 0 ? yards : Math.max(stats[longest] ?? 0, yards);
    stats[plays] = (stats[plays] ?? 0) + 1;
    stats[total] = (stats[total] ?? 0) + yards;
  }
}
