/** A JSON object as JSON.parse returns it: `__proto__` can be one of its own keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Keys that can reach an object's prototype in careless code. */
export const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns whether a JSON value is an object, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the path of each prototype key at any depth of a value (`rows[3].stats.constructor`). */
export function prototypeKeysIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    return prototypeKeys.has(key) ? [field] : prototypeKeysIn(inner, field);
  });
}
