import type { UpdateQuery } from 'mongoose';

/** How many former values of a record are kept: more than it has in years. */
const maxKept = 100;

/** Values that a record had until a time. */
export type Former<T> = T & { readonly until: Date };

/** Returns the values of a record at a time: those before the first change after it, or else the present ones. */
export function valuesAt<T extends object>(present: T, former: readonly Former<T>[] | undefined, at: Date): T {
  return former?.find(({ until }) => until > at) ?? present;
}

/**
 * Builds the stages that add former values to those in a field, if an update changes any of the other fields.
 * @param former the values before the update, as expressions
 */
export function keepFormer(field: string, names: readonly string[], update: UpdateQuery<object>, former: object) {
  const changes = changesAny(names, update);
  if (changes.length === 0) return [];
  const kept = { $slice: [{ $concatArrays: [{ $ifNull: [`$${field}`, []] }, [former]] }, -maxKept] };
  return [{ $set: { [field]: { $cond: [{ $or: changes }, kept, `$${field}`] } } }];
}

/** Builds conditions that are true if an update changes one of these fields. */
function changesAny(names: readonly string[], { $set = {}, $unset = {} }: UpdateQuery<object>): object[] {
  const set: Readonly<Record<string, unknown>> = $set;
  const isSet = names.filter((name) => name in set).map((name) => ({ $ne: [`$${name}`, { $literal: set[name] }] }));
  return [...isSet, ...names.filter((name) => name in $unset).map((name) => ({ $gt: [`$${name}`, null] }))];
}
