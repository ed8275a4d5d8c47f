import { textProblem } from '../../common/validation/text.js';

const longestText = 500;
const mostBytes = 2_048;
const mostLevels = 3;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '_bsontype']);

/**
 * What is wrong with a schedule's `location`, as the end of a sentence, or undefined: a text, or a JSON object whose
 * keys the database can keep. It is stored as it was sent.
 */
export function locationProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value, { max: longestText, allowBlank: true });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a text or an object';
  if (Buffer.byteLength(JSON.stringify(value)) > mostBytes) return `must have at most ${mostBytes} bytes as JSON`;
  return innerProblem(value, 1);
}

function innerProblem(value: unknown, level: number): string | undefined {
  if (typeof value === 'string') return textProblem(value, { max: mostBytes, allowBlank: true });
  if (typeof value === 'number') return numberProblem(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > mostLevels) return `must be nested at most ${mostLevels} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const problem = (Array.isArray(value) ? undefined : keyProblem(key)) ?? innerProblem(inner, level + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A larger number has already lost digits when the JSON is parsed, so it could not be stored as it was sent. */
function numberProblem(value: number): string | undefined {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  return `must hold numbers from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER} only`;
}

/** Keys that the database would read as operators, paths or types of its own, or careless code as the prototype. */
function keyProblem(key: string): string | undefined {
  if (key.startsWith('$')) return 'must not have a key that begins with $';
  if (key.includes('.')) return 'must not have a key that holds a full stop';
  if (forbiddenKeys.has(key)) return `must not have a key named ${key}`;
  return textProblem(key, { max: mostBytes, allowBlank: true }) === undefined
    ? undefined
    : 'must not have a key with control characters';
}
