import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Schema } from './operations.js';
import type { Method } from './server.js';

/** Fields that name a player instead of `playerId`: player-statistics-write.spec.ts tests them. */
const alternatives = ['playerExternalId', 'teamId', 'teamExternalId'];

/** Which of the two fields names a team, `teamId` or `teamExternalId`: a request has only one. */
export type TeamNames = 'Id' | 'ExternalId';

/** Whether a request does not have a field, because it names the team by the other one. */
function isReplaced(name: string, fields: Readonly<Record<string, unknown>>, names: TeamNames): boolean {
  const [, team, own] = /^(.*?)(External)?Id$/.exec(name) ?? [];
  const other = `${team}${own === undefined ? 'ExternalId' : 'Id'}`;
  return team !== undefined && other in fields && (own === undefined) !== (names === 'Id');
}

/** One value of a request and its location; for lists of objects, of the first entry. */
export interface Input {
  readonly place: 'path' | 'query' | 'header' | 'body';
  /** The last part of its path. */
  readonly name: string;
  /** As errors name it: `rows[0].playerId`. */
  readonly field: string;
  readonly keys: readonly (string | number)[];
  readonly required: boolean;
  readonly schema: Schema;
}

/** A request that can be sent. */
export interface DocumentedRequest {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Record<string, unknown>;
}

/** Every input of an operation, from its document. */
export function inputsOf({ parameters, body, document }: Operation, names: TeamNames = 'Id'): Input[] {
  const named = parameters.map(({ in: place, name, required, schema }): Input => {
    return { place, name, field: name, keys: [name], required, schema: whole(schema, document) as Schema };
  });
  return [...named, ...(body === undefined ? [] : leavesOf(whole(body, document) as Schema, [], true, names))];
}

/** Builds a request with only these values. */
export function requestOf(operation: Operation, values: ReadonlyMap<Input, unknown>): DocumentedRequest {
  const sent = [...values].map(([input, value]) => ({ input, value }));
  const at = (place: Input['place']) => sent.filter(({ input }) => input.place === place);
  const inPath = new Map(at('path').map(({ input, value }) => [input.name, encodeURIComponent(String(value))]));
  const query = new URLSearchParams(
    at('query').flatMap(({ input, value }) => [value].flat().map((one): [string, string] => [input.name, String(one)])),
  ).toString();
  const body: Record<string, unknown> = {};
  for (const { input, value } of at('body')) put(body, input.keys, value);
  return {
    method: operation.method,
    path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => inPath.get(name) ?? '') + (query && `?${query}`),
    headers: Object.fromEntries(at('header').map(({ input, value }) => [input.name, String(value)])),
    ...(operation.body !== undefined && { body }),
  };
}

/**
 * Returns the documented example of an input, or a value that fits its schema.
 * @throws Error if there is none
 */
export function exampleOf({ field, schema }: Input): unknown {
  const { enum: choices, items, format, minimum, type } = schema as Record<string, { enum?: unknown[] } | undefined>;
  const [choice] = (choices ?? items?.enum ?? []) as unknown[];
  const fitting = choice ?? ((format as unknown) === 'date-time' ? '2027-05-01T00:00:00Z' : minimum);
  // Optional parameters have no example; of those with a pattern, only a score comes without one.
  const other = (type as unknown) === 'boolean' ? false : schema['pattern'] && '1-0';
  const shown = schema['example'] ?? schema['default'] ?? fitting ?? other;
  if (shown === undefined) throw new Error(`The document gives no example of ${field}`);
  return shown;
}

/** The leaves of a schema: values that are not objects with known fields, or lists of them. */
function leavesOf(schema: Schema, keys: readonly (string | number)[], required: boolean, names: TeamNames): Input[] {
  const fields = schema['properties'] as Record<string, Schema> | undefined;
  if (fields !== undefined) {
    const isSent = (key: string) =>
      'playerId' in fields ? !alternatives.includes(key) : !isReplaced(key, fields, names);
    const sent = Object.entries(fields).filter(([key]) => isSent(key));
    // Either of them is required.
    const isEither = (key: string) => {
      const inner = fields[key.replace('ExternalId', 'Id')];
      return String(inner?.['description']).includes('. Either this or');
    };
    // A required object is sent with at least one field.
    const [first = ''] = sent.map(([key]) => key);
    const demanded = (schema['required'] ?? (required && keys.length > 0 ? [first] : [])) as string[];
    return sent.flatMap(([key, inner]) =>
      leavesOf(inner, [...keys, key], required && (demanded.includes(key) || isEither(key)), names),
    );
  }
  const entry = schema['items'] as Schema | undefined;
  if (entry?.['properties'] !== undefined) return leavesOf(entry, [...keys, 0], required, names);
  const name = String(keys.findLast((key) => typeof key === 'string'));
  const field = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return [{ place: 'body', name, field: field.slice(1), keys, required, schema }];
}

/** Resolves references and merges the first alternative that is an object with known fields; `null` can be in one. */
function whole(part: unknown, document: OpenAPIObject): unknown {
  if (Array.isArray(part)) return part.map((inner) => whole(inner, document));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, allOf = [], anyOf, oneOf = anyOf, ...own } = part as Schema;
  if (typeof $ref === 'string') {
    const keys = $ref.split('/').slice(1);
    const target = keys.reduce<unknown>((inner, key) => (inner as Schema)[key], document);
    return whole(target, document);
  }
  const [first] = whole(oneOf ?? [], document) as Schema[];
  const merged = [...(whole(allOf, document) as Schema[]), ...(first?.['properties'] === undefined ? [] : [first])];
  if (first?.['nullable'] === true) merged.push({ nullable: true });
  const inner = Object.entries(own).map(([key, value]) => [key, key === 'example' ? value : whole(value, document)]);
  return Object.assign({}, ...merged, Object.fromEntries(inner)) as Schema;
}

function put(into: Record<string, unknown>, keys: readonly (string | number)[], value: unknown): void {
  let place = into as Record<string | number, unknown>;
  for (const [index, key] of keys.slice(0, -1).entries()) {
    place[key] ??= typeof keys[index + 1] === 'number' ? [] : {};
    place = place[key] as Record<string | number, unknown>;
  }
  const last = keys.at(-1);
  if (last !== undefined) place[last] = value;
}
