/** The counters of one row by name; `null` is «not tracked», 0 is «tracked, none». */
export type Counters = Readonly<Record<string, number | null>>;

/** What a counter counts, which decides the numbers it takes. */
export type CounterKind = 'count' | 'halves' | 'yards' | 'yardsFromZero' | 'longest';

/** The numbers a kind takes: from `minimum` to `maximum`, both included, in steps of `step`. */
export interface CounterRange {
  readonly minimum: number;
  readonly maximum: number;
  readonly step: number;
}

/** No game comes near it: a greater number is a mistake, and sums and products of such numbers stay exact. */
const greatest = 9999;

/** A field of 100 yards with an end zone of 10 allows no longer play. */
const longestPlay = 110;

/** The numbers each kind of counter takes, beside `null`. */
export const counterRanges: Readonly<Record<CounterKind, CounterRange>> = {
  count: { minimum: 0, maximum: greatest, step: 1 },
  halves: { minimum: 0, maximum: greatest, step: 0.5 },
  yards: { minimum: -greatest, maximum: greatest, step: 1 },
  yardsFromZero: { minimum: 0, maximum: greatest, step: 1 },
  longest: { minimum: -longestPlay, maximum: longestPlay, step: 1 },
};

/** One counter of a category; the description is its text in the OpenAPI document. */
export interface CounterDefinition {
  readonly kind: CounterKind;
  readonly description: string;
}

/** A derived total: each counter by its weight. An untracked part counts 0; all untracked: `null`. */
export interface DerivedSum<Name extends string> {
  readonly kind: 'sum';
  readonly description: string;
  readonly terms: readonly (readonly [weight: number, counter: Name])[];
}

/** A quotient of whole numbers: kept apart until it is rounded, so that the rounding is exact. */
export interface Fraction {
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * A derived rate, rounded to one decimal: `fraction` receives the counters in the order they are named. The rate is
 * `null` where one of them is untracked (an untracked interception count taken for 0 would flatter a rating) or where
 * the denominator is 0.
 */
export interface DerivedRate<Name extends string> {
  readonly kind: 'rate';
  readonly description: string;
  readonly counters: readonly Name[];
  readonly fraction: (...values: number[]) => Fraction;
}

/** A value of an answer's `derived`. */
export type DerivedDefinition<Name extends string> = DerivedSum<Name> | DerivedRate<Name>;

/** `parts` together must not exceed `limit`: an untracked part counts 0, an untracked limit switches the rule off. */
export interface SumLimit<Name extends string> {
  readonly parts: readonly [Name, ...Name[]];
  readonly limit: Name;
}

/** Yards and longests that come from a play: beside a tracked 0 of the plays they must be 0 or untracked. */
export interface PlayValues<Name extends string> {
  readonly values: readonly Name[];
  readonly play: Name;
}

/** All that is known of a category: its counters and derived values in the order of the answers, and its rules. */
export interface CategoryDefinition<Name extends string> {
  readonly counters: Readonly<Record<Name, CounterDefinition>>;
  readonly derived: Readonly<Record<string, DerivedDefinition<Name>>>;
  readonly sumLimits: readonly SumLimit<Name>[];
  readonly playValues: readonly PlayValues<Name>[];
}

/** Ties a category together; a derived value or rule that names no counter of the category does not compile. */
export function defineCategory<Name extends string>(definition: {
  readonly counters: Readonly<Record<Name, CounterDefinition>>;
  readonly derived: Readonly<Record<string, DerivedDefinition<NoInfer<Name>>>>;
  readonly sumLimits: readonly SumLimit<NoInfer<Name>>[];
  readonly playValues: readonly PlayValues<NoInfer<Name>>[];
}): CategoryDefinition<Name> {
  return definition;
}

/** A number of plays or points: a whole number, 0 or more. */
export function count(description: string): CounterDefinition {
  return { kind: 'count', description };
}

/** A number of plays that two players can share: 0 or more in steps of 0.5. */
export function halves(description: string): CounterDefinition {
  return { kind: 'halves', description };
}

/** Yards: whole, may be negative. */
export function yards(description: string): CounterDefinition {
  return { kind: 'yards', description };
}

/** Yards that cannot be negative: whole, 0 or more. */
export function yardsFromZero(description: string): CounterDefinition {
  return { kind: 'yardsFromZero', description };
}

/** The yards of the longest play: whole, at most 110; negative where every play lost yards. */
export function longest(description: string): CounterDefinition {
  return { kind: 'longest', description };
}

/** The derived total of the counters, each with its weight. */
export function sum<const Name extends string>(
  description: string,
  ...terms: readonly (readonly [weight: number, counter: Name])[]
): DerivedSum<Name> {
  return { kind: 'sum', description, terms };
}

/** The derived rate `part / whole`. */
export function average<const Name extends string>(description: string, part: Name, whole: Name): DerivedRate<Name> {
  return {
    kind: 'rate',
    description,
    counters: [part, whole],
    fraction: (numerator, denominator) => ({ numerator, denominator }),
  };
}

/** The derived rate `100 × part / whole`. */
export function percentage<const Name extends string>(description: string, part: Name, whole: Name): DerivedRate<Name> {
  return {
    kind: 'rate',
    description,
    counters: [part, whole],
    fraction: (numerator, denominator) => ({ numerator: 100 * numerator, denominator }),
  };
}

/** A derived rate with a formula of its own over the named counters, in that order. */
export function rate<const Name extends string>(
  description: string,
  counters: readonly Name[],
  fraction: (...values: number[]) => Fraction,
): DerivedRate<Name> {
  return { kind: 'rate', description, counters, fraction };
}
