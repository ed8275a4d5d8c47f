import { type EntryProblem, Field } from './field.js';
import type { Described } from './fields.js';
import { trimmed } from './text.js';

/** How a list of texts is limited. */
export interface ListLimits {
  readonly most: number;
  /** What leaving the list out does, as the end of a sentence: an empty one would say the opposite of it. */
  readonly leftOut: string;
  /** What is wrong with one entry, as the end of a sentence («must be …»), or undefined. */
  readonly entry: (value: string) => string | undefined;
  /** How OpenAPI describes an entry. */
  readonly items: { readonly maxLength?: number; readonly enum?: string[] };
}

/** A list of trimmed texts, at least one and none twice; each wrong one is named by its place (`scopes[1]`). */
export function TextListField({
  description,
  example,
  most,
  leftOut,
  entry,
  items,
}: Described & ListLimits): PropertyDecorator {
  return Field({
    convert: (raw) => (Array.isArray(raw) ? raw.map(trimmed) : raw),
    problem: (value) => {
      if (!Array.isArray(value)) return 'must be a list of texts';
      if (value.length === 0) return `must have at least one entry; leave it out ${leftOut}`;
      return value.length > most ? `must have at most ${most} entries` : undefined;
    },
    entryProblems: (value) => (Array.isArray(value) && value.length <= most ? entryProblems(value, entry) : []),
    schema: {
      description,
      example,
      type: 'array',
      items: { type: 'string', ...items },
      minItems: 1,
      maxItems: most,
      uniqueItems: true,
    },
  });
}

function entryProblems(list: readonly unknown[], entry: ListLimits['entry']): EntryProblem[] {
  return list.flatMap((value, index) => {
    const problem = typeof value === 'string' ? (entry(value) ?? repetition(list, index)) : 'must be a text';
    return problem === undefined ? [] : [{ index, problem }];
  });
}

function repetition(list: readonly unknown[], index: number): string | undefined {
  const first = list.indexOf(list[index]);
  return first === index ? undefined : `must not repeat entry ${first}`;
}
