import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
}

/** What an ordinary request leaves out: it would delete, move or archive something, or contradict the other fields. */
const rare = /^(delete|move|isArchived|disabled|status|team(One|Two)Score|forfeitedBy|password|code|dryRun)$/;

/**
 * Returns a whole request body with the examples of its fields, as someone would send it first: required fields and all others
 * that have an example; of two ways to name a team, its ID.
 */
export function requestExampleOf(schema: Schema, document: OpenAPIObject): unknown {
  const { $ref, allOf = [], oneOf: [first] = [], ...own } = schema;
  const parts = [...($ref === undefined ? [] : [{ $ref }]), ...allOf, ...(first ? [first] : [])];
  const {
    example,
    items,
    properties,
    required = [],
    enum: choices,
    default: fallback,
  } = Object.assign({}, ...parts.map((part) => resolve(part, document)), own) as Schema;
  if ((example ?? fallback) !== undefined) return example ?? fallback;
  if (items !== undefined) return [requestExampleOf(items, document)];
  if (properties === undefined) return choices?.[0];
  const isSecondName = (name: string) =>
    /^team.*(ExternalId|Name)$/.test(name) && `${name.replace(/ExternalId|Name/, '')}Id` in properties;
  const isSent = (name: string) => required.includes(name) || !(rare.test(name) || isSecondName(name));
  const sent = Object.entries(properties).filter(([name]) => isSent(name));
  const fields = sent.map(([name, field]) => [name, requestExampleOf(field, document)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Returns the schema that a reference names, or the schema itself. */
export function resolve(schema: Schema = {}, { components }: OpenAPIObject): Schema {
  return schema.$ref === undefined ? schema : (components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}
