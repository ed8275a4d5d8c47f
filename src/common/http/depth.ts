/** True where a JSON value is nested deeper than `levels`; an object of plain values has one level. */
export function deeperThan(value: unknown, levels: number): boolean {
  let level = childrenOf([value]);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true;
    level = childrenOf(level.flatMap((inner): unknown[] => Object.values(inner)));
  }
  return false;
}

function childrenOf(values: readonly unknown[]): object[] {
  return values.filter((value): value is object => typeof value === 'object' && value !== null);
}
