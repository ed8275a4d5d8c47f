import type { FieldProblem } from '../errors/service-error.js';

const prototypeKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** True for the three keys that reach an object's prototype in careless code. */
export function isPrototypeKey(key: string): boolean {
  return prototypeKeys.includes(key);
}

/**
 * A raw body or query for class-transformer, which takes a nested `constructor` for a class and calls it: a copy
 * without the prototype's keys, or the same object where it holds none.
 */
export function withoutPrototypeKeys(raw: unknown): unknown {
  const found: string[] = [];
  const text = JSON.stringify(raw, (key, value: unknown) => {
    if (!isPrototypeKey(key)) return value;
    found.push(key);
    return undefined;
  });
  return found.length > 0 ? JSON.parse(text) : raw;
}

/**
 * The keys of a raw body or query that class-transformer drops in silence, so that the whitelist never sees them:
 * the prototype's keys at any depth, and everything that every object inherits where it built an instance of a class.
 */
export function hiddenKeys(raw: unknown, input: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const waiting: { value: unknown; built: unknown; path: string }[] = [{ value: raw, built: input, path: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, built, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const field = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (isPrototypeKey(key) || (isInstance(built) && key in Object.prototype)) {
        problems.push({ field, message: `${field} is not a known field` });
      } else {
        waiting.push({
          value: inner,
          built: (built as Record<string, unknown> | null | undefined)?.[key],
          path: field,
        });
      }
    }
  }
  return problems;
}

/** True for an object of a class of ours: neither a list nor an object as JSON.parse makes it. */
function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.getPrototypeOf(value) !== Object.prototype;
}
