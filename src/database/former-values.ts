import type { UpdateQuery } from 'mongoose';

/** How many former values of a record are kept: more than it has in years. */
const maxKept = 100;

/** Values that a record had until a time. */
export type Former<T> = T & { readonly until: Date };

/** Returns the values of a record at a time: those before the first change after it, or else the present ones. */
export function valuesAt<T extends object>(present: T, former: readonly Former<T>[] | undefined, at: Date): T {
  return former?.find(({ until }) => until > at) ?? present;
}

/** Builds the operator that keeps values, for an update of a record that has been read. */
export function keepValues<T extends object>(values: T, until: Date) {
  return { $each: [{ ...values, until }], $slice: -maxKept };
}

/** Builds conditions of a pipeline that are true if an update changes one of these fields. */
export function changesAny(names: readonly string[], { $set = {}, $unset = {} }: UpdateQuery<object>): object[] {
  const set: Readonly<Record<string, unknown>> = $set;
  const isSet = names.filter((name) => name in set).map((name) => ({ $ne: [`$${name}`, { $literal: set[name] }] }));
  return [...isSet, ...names.filter((name) => name in $unset).map((name) => ({ $gt: [`$${name}`, null] }))];
}

/** Builds the stages that keep the values of these fields in another one, if an update changes any of them. */
export function keepFormer(field: string, names: readonly string[], update: UpdateQuery<object>): object[] {
  const changes = changesAny(names, update);
  if (changes.length === 0) return [];
  const { updatedAt: until } = update.$set as { updatedAt: Date };
  const former = { ...Object.fromEntries(names.map((name) => [name, `$${name}`])), until };
  const kept = { $slice: [{ $concatArrays: [{ $ifNull: [`$${field}`, []] }, [former]] }, -maxKept] };
  return [{ $set: { [field]: { $cond: [{ $or: changes }, kept, `$${field}`] } } }];
}
