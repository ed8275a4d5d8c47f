/**
 * Keeps an entry as the newest of a map, which holds no more than so many: the oldest goes first.
 * @returns the entry that had to go, if one had to
 */
export function keepNewest<T>(entries: Map<string, T>, name: string, value: T, most: number): [string, T] | undefined {
  entries.delete(name);
  entries.set(name, value);
  if (entries.size <= most) return undefined;
  const [oldest] = entries;
  if (oldest !== undefined) entries.delete(oldest[0]);
  return oldest;
}
