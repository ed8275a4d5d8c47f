import type { Input } from './documented-requests.js';
import type { Schema } from './operations.js';

/** A value as raw JSON, because not every one can be written as a literal. */
export interface HostileValue {
  readonly what: string;
  readonly json: string;
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const named = (value: string) => ({ what: value, json: value });

/** Values of every JSON type; each field accepts at most one type. */
const types: readonly HostileValue[] = [
  ...['null', 'true', 'false', '0', '-0.5', '17.5', '[]', '[[]]', '[null]', '[{}]', '["a"]', '{}', '{"a":1}'].map(
    named,
  ),
  { what: 'a text', json: '"a text"' },
  { what: 'an empty text', json: '""' },
  { what: 'invisible characters', json: '"\\u2066\\u3164"' },
];

const operators: readonly HostileValue[] = [
  ...['{"$gt":""}', '{"$where":"sleep(9000)||true"}', '{"a.b":1}', '[{"$gt":""}]', '{"_bsontype":"ObjectId"}'].map(
    named,
  ),
];

const prototypes: readonly HostileValue[] = [
  ...['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}', '[{"__proto__":[]}]'].map(
    named,
  ),
];

const numbers: readonly HostileValue[] = [
  ...['1e999', '-0', '9007199254740992', '30.000000001'].map(named),
  { what: '400 digits', json: '9'.repeat(400) },
  { what: '50,000 digits', json: '1'.repeat(50_000) },
  { what: '2,000 digits behind the point', json: `0.${'3'.repeat(2_000)}` },
];

const texts: readonly HostileValue[] = [
  { what: 'NUL', json: '"a\\u0000b"' },
  { what: 'an escape character', json: '"a\\u001b[2Jb"' },
  { what: 'a lone high surrogate', json: '"a\\ud800b"' },
  { what: '90,000 characters', json: `"${'a@.'.repeat(30_000)}"` },
];

const nests: readonly HostileValue[] = [
  { what: 'a list within lists', json: nested(20) },
  { what: 'an object within objects', json: `${'{"a":'.repeat(20)}1${'}'.repeat(20)}` },
  { what: 'a list of 2,500', json: `[${'1,'.repeat(2_499)}1]` },
  // More than the 2 KB of a location.
  {
    what: 'an object of 100 keys',
    json: `{${Array.from({ length: 100 }, (_, key) => `"a key of some length ${key}":1`).join()}}`,
  },
];

/** Values that are sent in every field. */
export const hostileValues: readonly HostileValue[] = [
  ...[...types, ...operators, ...prototypes, ...numbers, ...texts, ...nests],
];

/** The expected result of a value: stored as sent, an invalid field, or a forbidden team. */
export type Verdict = 'taken' | 40001 | 40301;

/** The expected result by the document and the contract's rule for teams. */
export function verdictOf({ name, schema }: Input, { json }: HostileValue): Verdict {
  const value: unknown = JSON.parse(json);
  if (value === null) return fits(schema, value) ? 'taken' : 40001;
  if (['teamId', 'teamTwoId'].includes(name)) return typeof value === 'string' && isVisible(value) ? 40301 : 40001;
  if (name === 'location') return isLocation(value, json) ? 'taken' : 40001;
  // The schema does not describe networks, and none of these values is one.
  return name !== 'allowedAddresses' && fits(schema, value) ? 'taken' : 40001;
}

function fits(schema: Schema, value: unknown): boolean {
  if (value === null) return schema['nullable'] === true;
  const {
    minimum = -Infinity,
    maximum = Infinity,
    minLength = 0,
    maxLength = Infinity,
  } = schema as Record<string, number>;
  const allowed = schema['enum'] as unknown[] | undefined;
  if (allowed !== undefined && !allowed.includes(value)) return false;
  if (typeof value === 'number') {
    const isRightType = schema['type'] === 'number' || (schema['type'] === 'integer' && Number.isInteger(value));
    return isRightType && Number.isFinite(value) && value >= minimum && value <= maximum;
  }
  if (typeof value === 'string') {
    const isFree = schema['type'] === 'string' && schema['pattern'] === undefined && isFreeFormat(schema['format']);
    const isReadable = !/[\p{Cc}\p{Cs}]/u.test(value) && (minLength === 0 || isVisible(value));
    return isFree && isReadable && value.length >= minLength && value.length <= maxLength;
  }
  if (Array.isArray(value)) {
    const entry = schema['items'] as Schema | undefined;
    const isRightType = schema['type'] === 'array' && value.length >= Number(schema['minItems'] ?? 0);
    return isRightType && value.every((inner) => fits(entry ?? {}, inner));
  }
  return schema['type'] === typeof value;
}

/** No hostile string matches any other format. */
function isFreeFormat(format: unknown): boolean {
  return format === undefined || format === 'password';
}

function isVisible(text: string): boolean {
  return /[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(text);
}

/** Only plain strings and flat objects are locations. */
function isLocation(value: unknown, json: string): boolean {
  if (typeof value === 'string') return value.length <= 500 && !/[\p{Cc}\p{Cs}]/u.test(value);
  return json === '{}' || json === '{"a":1}';
}

/** A member that no object of a body has, as raw JSON. */
interface HostileMember {
  readonly what: string;
  readonly json: string;
  /** Whether a `location` object can have it. */
  readonly isAllowedInLocation: boolean;
}

const forbidden = ['__proto__', 'constructor', 'prototype', '$where', '$set', '$', 'a.b', '.', '_bsontype', 'a\u0000'];
const unknownKeys = ['toString', 'then', '', '_id', '__v', 'deletedAt', 'createdBy'];
const inner = ['{"polluted":true}', '"x"'];

/** Members that are added to every object in a body. */
export const hostileMembers: readonly HostileMember[] = [
  ...forbidden.flatMap((key) => inner.map((value) => member(key, value, false))),
  ...unknownKeys.map((key) => member(key, '"x"', true)),
];

function member(key: string, value: string, isOwn: boolean): HostileMember {
  const json = `${JSON.stringify(key)}:${value}`;
  return { what: json, json, isAllowedInLocation: isOwn };
}
