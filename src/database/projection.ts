type Projection = Readonly<Record<string, 0 | 1>>;
const projections = new WeakMap<readonly string[], Projection>();

/** Builds a projection, without `_id` unless it is named; once per list, which repositories keep as a constant. */
export function projectionOf(fields: readonly string[]): Projection {
  const known = projections.get(fields);
  if (known !== undefined) return known;
  const projection: Projection = { _id: 0, ...Object.fromEntries(fields.map((field) => [field, 1] as const)) };
  projections.set(fields, projection);
  return projection;
}
