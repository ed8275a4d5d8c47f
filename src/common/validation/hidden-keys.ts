import { type FieldProblem, unknownField } from '../errors/service-error.js';

const prototypeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** True for the three keys that reach an object's prototype in careless code. */
export function isPrototypeKey(key: string): boolean {
  return prototypeKeys.includes(key);
}

/**
 * A raw body or query without the prototype's keys at any depth, the same object where it has none: class-transformer
 * throws at an object that has a `constructor` of its own.
 */
export function withoutPrototypeKeys(raw: unknown): unknown {
  return holdsPrototypeKey(raw) ? strip(raw) : raw;
}

/** True for a value with such a key at any depth. */
export function holdsPrototypeKey(raw: unknown): boolean {
  if (typeof raw !== 'object' || raw === null) return false;
  return Object.entries(raw).some(([key, inner]) => isPrototypeKey(key) || holdsPrototypeKey(inner));
}

function strip(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw.map(strip);
  if (typeof raw !== 'object' || raw === null) return raw;
  const harmless = Object.entries(raw).filter(([key]) => !isPrototypeKey(key));
  return Object.fromEntries(harmless.map(([key, inner]) => [key, strip(inner)]));
}

/**
 * The keys of a raw body or query that class-transformer drops in silence, so that the whitelist never sees them: the
 * prototype's keys at any depth and, where the object was built into one of our classes, every name that all objects
 * inherit. What is handed on as it was sent (`location`) may have such names.
 */
export function hiddenKeys(raw: unknown, built: unknown, path = ''): FieldProblem[] {
  if (typeof raw !== 'object' || raw === null) return [];
  return Object.entries(raw).flatMap(([key, inner]) => {
    const field = Array.isArray(raw) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (isPrototypeKey(key) || (isInstance(built) && key in Object.prototype)) {
      return [unknownField(field)];
    }
    return hiddenKeys(inner, (built as Record<string, unknown> | null | undefined)?.[key], field);
  });
}

/** True for an object of a class of ours: neither a list nor an object as JSON.parse makes it. */
function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.getPrototypeOf(value) !== Object.prototype;
}
