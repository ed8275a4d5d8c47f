import { type Fraction, roundToTenth } from './formulas.js';

/** The counters of a row by name: `null` means not tracked, 0 means tracked and none. */
export type Counters = Readonly<Record<string, number | null>>;

/** A counter: `null`, or a number from `minimum` to `maximum` in steps of `step`. OpenAPI shows the description. */
export interface Counter {
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly step: number;
}

/** A value computed from counters, in the order they are named. OpenAPI shows the description. */
interface DerivedValue<Name extends string> {
  readonly description: string;
  readonly counters: readonly Name[];
  /** Whether it needs all of its counters. */
  readonly isRate: boolean;
  readonly compute: (values: readonly (number | null)[]) => number | null;
}

/** `parts` together must not exceed `limit`: an untracked part counts 0, an untracked limit disables the rule. */
export interface SumConstraint<Name extends string> {
  readonly parts: readonly [Name, ...Name[]];
  readonly limit: Name;
}

/** Yards and longest plays require a play: with 0 plays they must be 0 or untracked. */
export interface PlayConstraint<Name extends string> {
  readonly values: readonly Name[];
  readonly play: Name;
}

/** The counters and derived values of a category, in response order, and its rules. */
interface CategoryDefinition<Name extends string> {
  readonly counters: Readonly<Record<string, Counter>>;
  readonly derived: Readonly<Record<string, DerivedValue<Name>>>;
  readonly sumConstraints: readonly SumConstraint<Name>[];
  readonly playConstraints: readonly PlayConstraint<Name>[];
}

/** Defines a category; a derived value or rule that names an unknown counter does not compile. */
export function category<Name extends string>(
  definition: CategoryDefinition<NoInfer<Name>> & { readonly counters: Readonly<Record<Name, Counter>> },
): CategoryDefinition<string> {
  return definition;
}

/** Far above any game: a greater number is a mistake, and sums and products of such numbers stay exact. */
const maxCount = 9999;

/** The longest play on a field of 100 yards with an end zone of 10 yards. */
const maxPlayYards = 110;

function counter(minimum: number, maximum: number, step = 1): (description: string) => Counter {
  return (description) => ({ description, minimum, maximum, step });
}

/** A number of plays, points or lost yards: an integer, 0 or more. */
export const count = counter(0, maxCount);

/** A number of plays that two players can share: 0 or more in steps of 0.5. */
export const halfSteps = counter(0, maxCount, 0.5);

/** Yards gained: an integer, can be negative. */
export const yards = counter(-maxCount, maxCount);

/** The yards of the longest play: an integer, at most 110; negative if every play lost yards. */
export const longestPlay = counter(-maxPlayYards, maxPlayYards);

/** A total of the counters, each with its weight. An untracked part counts 0; if all are untracked, it is `null`. */
export function sum<const Name extends string>(
  description: string,
  ...terms: readonly (readonly [weight: number, counter: Name])[]
): DerivedValue<Name> {
  return {
    description,
    counters: terms.map(([, counter]) => counter),
    isRate: false,
    compute: (values) =>
      values.every((value) => value === null)
        ? null
        : terms.reduce((total, [weight], index) => total + weight * (values[index] ?? 0), 0),
  };
}

/** The total of the counters, each with the weight 1. */
export function total<const Name extends string>(...counters: readonly Name[]): DerivedValue<Name> {
  return sum(counters.join(' + '), ...counters.map((counter) => [1, counter] as const));
}

/**
 * A fraction of the counters, rounded to one decimal. It is `null` if one of them is untracked (counting untracked
 * interceptions as 0 would improve a rating) or if the denominator is 0.
 */
export function rate<const Name extends string>(
  description: string,
  counters: readonly Name[],
  fraction: (...values: number[]) => Fraction,
): DerivedValue<Name> {
  return {
    description,
    counters,
    isRate: true,
    compute: (values) => {
      const tracked = values.filter((value) => value !== null);
      return tracked.length < values.length ? null : roundToTenth(fraction(...tracked));
    },
  };
}

/** The rate `part / whole`. */
export function average<const Name extends string>(part: Name, whole: Name): DerivedValue<Name> {
  return rate(`${part} / ${whole}`, [part, whole], (numerator, denominator) => ({ numerator, denominator }));
}

/** The rate `100 × part / whole`. */
export function percentage<const Name extends string>(part: Name, whole: Name): DerivedValue<Name> {
  const scale = (numerator: number, denominator: number) => ({ numerator: 100 * numerator, denominator });
  return rate(`${part} per 100 ${whole}`, [part, whole], scale);
}
