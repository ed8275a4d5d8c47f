import { projectionOf } from '../../database/record.js';
import { type RecordChange, revisionOfChange } from './history.schema.js';

export type Values = Record<string, unknown>;

/** What an update changes, in an event of the change stream. */
export interface UpdateDescription {
  /** By path, such as `position.1` if only a part of a list or an object differs. */
  readonly updatedFields?: Values;
  readonly removedFields?: readonly string[];
  readonly truncatedArrays?: readonly { readonly field: string; readonly newSize: number }[];
}

/**
 * Returns the values that a record had before a revision, of those of the fields whose values are known; null means that the
 * field was empty.
 * @param changes those before the revision, newest first
 */
export async function latestValues(
  changes: AsyncIterable<RecordChange> | readonly RecordChange[],
  before: number,
  fields: readonly string[],
): Promise<Values> {
  const found: Values = {};
  if (fields.length === 0) return found;
  let missing = fields;
  let expected = before;
  for await (const change of changes) {
    // A change is missing, because MongoDB had lost the change stream: earlier values may be outdated.
    if (revisionOfChange(change) !== --expected) break;
    const values: Values = { ...change.values, ...(change.changedBy && { changedBy: change.changedBy }) };
    for (const name of missing) if (change.isComplete || name in values) found[name] = values[name] ?? null;
    missing = missing.filter((name) => !(name in found));
    if (missing.length === 0) break;
  }
  return found;
}

/** Builds the projection of changes that `latestValues` needs. */
export function valuesOfFields(fields: readonly string[]) {
  return projectionOf(['_id', 'isComplete', 'changedBy', ...fields.map((name) => `values.${name}`)]);
}

/** Returns the names of the fields that an update changes, at least in part. */
export function changedNames({
  updatedFields = {},
  removedFields = [],
  truncatedArrays = [],
}: UpdateDescription): ReadonlySet<string> {
  const paths = [...Object.keys(updatedFields), ...removedFields, ...truncatedArrays.map(({ field }) => field)];
  return new Set(paths.map(rootOf));
}

/** Returns objects and lists with the parts that an update changes. */
export function withChangedParts(
  before: Values,
  { updatedFields = {}, removedFields = [], truncatedArrays = [] }: UpdateDescription,
): Values {
  const values = structuredClone(before);
  const change = (path: string, apply: (holder: Values, key: string) => void) => {
    if (!(rootOf(path) in values)) return;
    const keys = path.split('.');
    const holder = keys.slice(0, -1).reduce((inner, key) => inner[key] as Values, values);
    apply(holder, keys.at(-1) ?? path);
  };
  for (const { field, newSize } of truncatedArrays)
    change(field, (holder, key) => (holder[key] as unknown[]).splice(newSize));
  for (const [path, value] of Object.entries(updatedFields))
    change(path, (holder, key) => {
      holder[key] = value;
    });
  for (const path of removedFields) change(path, (holder, key) => Reflect.deleteProperty(holder, key));
  return values;
}

const rootOf = (path: string): string => path.split('.', 1)[0] ?? path;
