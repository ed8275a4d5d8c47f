/** A JSON object as JSON.parse returns it: `__proto__` can be one of its own keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Keys that can reach an object's prototype in careless code. */
export const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns whether a JSON value is an object, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
