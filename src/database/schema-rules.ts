import { type Schema, type SchemaType, Types } from 'mongoose';

export interface CheckedModel {
  readonly modelName: string;
  readonly schema: object;
  readonly collection: object;
}

/** Checks a value. Returns the problem as the end of a sentence, or undefined. */
type Check = (value: unknown) => string | undefined;

interface FieldRules {
  readonly isImmutable: boolean;
  /** IDs and times: comparing them with a string is always a bug. */
  readonly isNeverString: boolean;
  readonly check: Check;
}

/** The rules of a schema's fields, read once per schema. */
type Rules = ReadonlyMap<string, FieldRules>;

/** Mongoose's type names → whether a value has the type. Values of other types are not checked. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  ObjectId: (value) => value instanceof Types.ObjectId,
  String: (value) => typeof value === 'string',
  Number: (value) => typeof value === 'number' && !Number.isNaN(value),
  Boolean: (value) => typeof value === 'boolean',
  Date: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  Array: Array.isArray,
};

/** Supported schema options, each with a check of its value. */
const supportedOptions: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: () => true,
  required: (value) => typeof value === 'boolean',
  immutable: (value) => typeof value === 'boolean',
  enum: Array.isArray,
  default: (value) => value === undefined,
  auto: () => true,
  _id: () => true,
};

const updateOperators: ReadonlySet<string> = new Set(['$set', '$unset', '$max', '$min']);
const cachedRules = new WeakMap<object, Rules>();

/**
 * Rejects a schema with an option that these rules do not apply, such as `min`, `match` or `default`: the driver writes
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
 * Validates a new record against its model's schema: known fields, types, choices and required fields. Mongoose would
 * build a document and convert invalid values; this function converts nothing.
 * @throws Error for an invalid record, which is a bug, since requests are validated before
 */
export function assertRecord(model: CheckedModel, record: object): void {
  const problem = problemOf(rulesOf(model.schema), record as Record<string, unknown>);
  if (problem !== undefined) throw new Error(`A record of ${model.modelName}: ${problem}`);
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
    for (const [name, value] of Object.entries(fields as object)) {
      const field = rulesFor(rules, name);
      if (field === undefined) throw new Error(`An update names ${name}, which ${model.modelName} does not have`);
      if (field.isImmutable) throw new Error(`An update changes ${name}, which is immutable in ${model.modelName}`);
      const problem = rules.has(name) ? field.check(operator === '$unset' ? undefined : value) : undefined;
      if (problem !== undefined) throw new Error(`An update of ${model.modelName}: ${name} ${problem}`);
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

function problemOf(rules: Rules, record: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of Object.keys(record)) if (!rules.has(name)) return `${name} is unknown`;
  for (const [name, { check }] of rules) {
    const problem = check(record[name]);
    if (problem !== undefined) return `${name} ${problem}`;
  }
  return undefined;
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
    rules.set(name, { isImmutable, isNeverString, check: checkOf(type) });
  });
  cachedRules.set(schema, rules);
  return rules;
}

function checkOf(type: SchemaType): Check {
  const { required = false } = type.options as { required?: boolean };
  const isRequired = required || type.path === '_id';
  const checkValue = checkOfValue(type);
  return (value) => {
    if (value === undefined || value === null) return isRequired ? 'is required' : undefined;
    // Like Mongoose, rejects an empty string in a required field.
    return isRequired && value === '' ? 'is required' : checkValue(value);
  };
}

function checkOfValue(type: SchemaType): Check {
  const { instance } = type;
  if (type.schema !== undefined) {
    const rules = rulesOf(type.schema);
    return (value) => problemOf(rules, value as Record<string, unknown>);
  }
  const isOfType = types[instance];
  if (isOfType === undefined) return () => undefined;
  const choices = choicesOf(type);
  return (value) => {
    if (!isOfType(value)) return `is not of type ${instance}`;
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    return choices === undefined || entries.every((entry) => choices.has(entry))
      ? undefined
      : 'is not one of its choices';
  };
}

function choicesOf(type: SchemaType): ReadonlySet<unknown> | undefined {
  const { enum: choices } = type.options as { enum?: readonly unknown[] };
  return Array.isArray(choices) ? new Set(choices) : undefined;
}
