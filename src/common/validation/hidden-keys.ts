import type { FieldProblem } from '../errors/service-error.js';

const prototypeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** True for the three keys that reach an object's prototype in careless code. */
export function isPrototypeKey(key: string): boolean {
  return prototypeKeys.includes(key);
}

/**
 * The keys of a raw body or query that class-transformer drops in silence, so that the whitelist never sees them:
 * the prototype's keys at any depth, and everything that every object inherits at the top.
 */
export function hiddenKeys(raw: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const waiting: { value: unknown; path: string }[] = [{ value: raw, path: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const field = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (isPrototypeKey(key) || (path === '' && key in Object.prototype)) {
        problems.push({ field, message: `${field} is not a known field` });
      } else {
        waiting.push({ value: inner, path: field });
      }
    }
  }
  return problems;
}

/** A raw body or query without the prototype's keys at any depth: class-transformer throws at an object that has a `constructor` of its own. */
export function withoutPrototypeKeys(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw.map(withoutPrototypeKeys);
  if (typeof raw !== 'object' || raw === null) return raw;
  const harmless = Object.entries(raw).filter(([key]) => !isPrototypeKey(key));
  return Object.fromEntries(harmless.map(([key, inner]) => [key, withoutPrototypeKeys(inner)]));
}
