import type { UpdateQuery } from 'mongoose';

/** What a change does to a record: a value sets a field, null clears it, a field that is not named keeps its value. */
export type FieldChanges<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/** The changes as one update of picked fields, so that nothing a client sends can be an operator. */
export function toUpdate<T>(changes: FieldChanges<T>): UpdateQuery<T> {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set = Object.fromEntries(named.filter(([, value]) => value !== null));
  const unset = Object.fromEntries(named.filter(([, value]) => value === null).map(([field]) => [field, 1]));
  return { $set: set, $unset: unset } as UpdateQuery<T>;
}
