import type { Schema, SchemaType } from 'mongoose';

export interface CheckedModel {
  readonly modelName: string;
  readonly schema: object;
  readonly collection: object;
}

interface FieldRules {
  readonly isImmutable: boolean;
  /** IDs and times: comparing them with a string is always a bug. */
  readonly isNeverString: boolean;
}

/** The rules of a schema's fields, read once per schema. */
type Rules = ReadonlyMap<string, FieldRules>;

/** Supported schema options, each with a check of its value. */
const supportedOptions: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: () => true,
  immutable: (value) => typeof value === 'boolean',
  default: (value) => value === undefined,
  auto: () => true,
  _id: () => true,
};

const updateOperators: ReadonlySet<string> = new Set(['$set', '$unset', '$max', '$min', '$inc']);
const cachedRules = new WeakMap<object, Rules>();

/**
 * Rejects a schema with an option that these rules do not apply, such as `min`, `required` or `default`: the driver writes
 * the records, so Mongoose's option would have no effect. Call it for every model at the start.
 * @throws Error for the first unsupported option
 */
export function assertSupported({ modelName, schema }: Pick<CheckedModel, 'modelName' | 'schema'>): void {
  (schema as Schema).eachPath((name, type) => {
    const entries =
      type.schema === undefined ? (type as { embeddedSchemaType?: SchemaType }).embeddedSchemaType : undefined;
    for (const [option, value] of [...optionsOf(type), ...optionsOf(entries)]) {
      if (supportedOptions[option]?.(value) === true) continue;
      throw new Error(
        `The schema of ${modelName} sets "${option}" for ${name}, which has no effect; ` +
          'validate the value before writing.',
      );
    }
    if (type.schema !== undefined) assertSupported({ modelName: `${modelName}.${name}`, schema: type.schema });
  });
}

function optionsOf(type: SchemaType | undefined): [option: string, value: unknown][] {
  return Object.entries(type?.options ?? {});
}

/**
 * Validates that a filter names only fields of the schema, and does not compare IDs and times with strings: MongoDB
 * would match no record, or every record.
 * @throws Error for an unknown field, an undefined value, and a string instead of an ID or a time
 */
export function assertFilter(model: CheckedModel, filter: object): void {
  const rules = rulesOf(model.schema);
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and' || name === '$or' || name === '$nor') {
      for (const part of value as object[]) assertFilter(model, part);
    } else {
      const field = rulesFor(rules, name);
      if (field === undefined) throw new Error(`A filter names ${name}, which ${model.modelName} does not have`);
      // The driver would drop an undefined condition, and the filter would match more.
      if (value === undefined) throw new Error(`A filter of ${model.modelName} has no value for ${name}`);
      if (field.isNeverString && hasString(value))
        throw new Error(`A filter of ${model.modelName} compares ${name} with a string`);
    }
  }
}

/**
 * Validates that an update sets and unsets only fields of the schema that are not immutable.
 * @throws Error for any other update
 */
export function assertUpdate(model: CheckedModel, update: object): void {
  const rules = rulesOf(model.schema);
  for (const [operator, fields] of Object.entries(update)) {
    if (!updateOperators.has(operator)) throw new Error(`An update must not use ${operator}`);
    for (const name of Object.keys(fields as object)) {
      const field = rulesFor(rules, name);
      if (field === undefined) throw new Error(`An update names ${name}, which ${model.modelName} does not have`);
      if (field.isImmutable) throw new Error(`An update changes ${name}, which is immutable in ${model.modelName}`);
    }
  }
}

/** Returns whether a condition on a field contains a string, as its value or with an operator. */
function hasString(condition: unknown): boolean {
  if (typeof condition === 'string') return true;
  if (typeof condition !== 'object' || condition === null || '_bsontype' in condition) return false;
  if (condition instanceof Date) return false;
  return Object.entries(condition).some(([operator, value]) => operator !== '$type' && hasString(value));
}

/** Returns the rules of a field, or of the field that contains a path such as `idempotency.scope`. */
function rulesFor(rules: Rules, path: string): FieldRules | undefined {
  const dot = path.indexOf('.');
  return rules.get(dot < 0 ? path : path.slice(0, dot));
}

function rulesOf(schema: object): Rules {
  const cached = cachedRules.get(schema);
  if (cached !== undefined) return cached;
  const rules = new Map<string, FieldRules>();
  (schema as Schema).eachPath((name, type) => {
    const isImmutable = name === '_id' || (type.options as { immutable?: boolean }).immutable === true;
    const isNeverString = type.instance === 'ObjectId' || type.instance === 'Date';
    rules.set(name, { isImmutable, isNeverString });
  });
  cachedRules.set(schema, rules);
  return rules;
}
