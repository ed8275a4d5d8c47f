import { type Schema, type SchemaType, Types } from 'mongoose';

/** A model, of whatever records. */
export interface CheckedModel {
  readonly modelName: string;
  readonly schema: object;
  readonly collection: object;
}

/** A check of one value: what is wrong with it, as the end of a sentence, or undefined. */
type Check = (value: unknown) => string | undefined;

interface FieldRules {
  readonly isImmutable: boolean;
  /** An id or a time: compared with a text it would match nothing, without a word. */
  readonly isNeverText: boolean;
  readonly check: Check;
}

/** What a schema says of the fields of its records, read from it once. */
type Rules = ReadonlyMap<string, FieldRules>;

/** Mongoose's names of types → whether a value is of one. Of a type that is not here, values are taken as they are. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  ObjectId: (value) => value instanceof Types.ObjectId,
  String: (value) => typeof value === 'string',
  Number: (value) => typeof value === 'number' && !Number.isNaN(value),
  Boolean: (value) => typeof value === 'boolean',
  Date: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  Array: Array.isArray,
};

/** Options that the rules below apply, and those that Mongoose sets itself → whether a value of the option is supported. */
const supportedOptions: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: () => true,
  required: (value) => typeof value === 'boolean',
  immutable: (value) => typeof value === 'boolean',
  enum: Array.isArray,
  default: (value) => value === undefined,
  auto: () => true,
  _id: () => true,
};

const known = new WeakMap<object, Rules>();

/**
 * Rejects a schema with an option that these rules do not apply, such as `min`, `match` or `default`: records are written by the driver, so
 * that Mongoose's option would compile and do nothing. Call it at the start for every model.
 * @throws Error for the first such option
 */
export function assertSupported({ modelName, schema }: Pick<CheckedModel, 'modelName' | 'schema'>): void {
  (schema as Schema).eachPath((name, type) => {
    const entries =
      type.schema === undefined ? (type as { embeddedSchemaType?: SchemaType }).embeddedSchemaType : undefined;
    for (const [option, value] of [...optionsOf(type), ...optionsOf(entries)]) {
      if (supportedOptions[option]?.(value) === true) continue;
      throw new Error(
        `The schema of ${modelName} has "${option}" for ${name}, which has no effect: check it before writing`,
      );
    }
    if (type.schema !== undefined) assertSupported({ modelName: `${modelName}.${name}`, schema: type.schema });
  });
}

function optionsOf(type: SchemaType | undefined): [option: string, value: unknown][] {
  return Object.entries(type?.options ?? {});
}

/**
 * Checks a new record against its model's schema: known fields only, each of its type and among its choices, and all that are
 * required. Mongoose would build a document for that and convert what does not fit; here nothing is converted.
 * @throws Error for a record that breaks the schema: a fault of the code, since requests are validated before
 */
export function assertRecord(model: CheckedModel, record: object): void {
  const problem = problemOf(rulesOf(model.schema), record as Record<string, unknown>);
  if (problem !== undefined) throw new Error(`A record of ${model.modelName}: ${problem}`);
}

/**
 * Checks that a filter names fields of the schema only, and compares IDs and times with such: otherwise MongoDB would find
 * nothing, or everything.
 * @throws Error for an unknown field, an undefined value, and a text in the place of an id or a time
 */
export function assertFilter(model: CheckedModel, filter: object): void {
  const rules = rulesOf(model.schema);
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and' || name === '$or' || name === '$nor') {
      for (const part of value as object[]) assertFilter(model, part);
    } else if (name !== '$expr') {
      const field = rulesFor(rules, name);
      if (field === undefined) throw new Error(`${model.modelName} has no field ${name}, which a filter names`);
      // A condition on nothing would be left out, and the filter match more.
      if (value === undefined) throw new Error(`A filter of ${model.modelName} has no value for ${name}`);
      if (field.isNeverText && holdsText(value))
        throw new Error(`A filter of ${model.modelName} compares ${name} with a text`);
    }
  }
}

/**
 * Checks that an update sets and unsets fields of the schema only, none of which is immutable.
 * @throws Error for another update
 */
export function assertUpdate(model: CheckedModel, update: object): void {
  const rules = rulesOf(model.schema);
  for (const [operator, fields] of Object.entries(update)) {
    if (operator !== '$set' && operator !== '$unset') throw new Error(`An update may not use ${operator}`);
    for (const [name, value] of Object.entries(fields as object)) {
      const field = rulesFor(rules, name);
      if (field === undefined) throw new Error(`${model.modelName} has no field ${name}, which an update names`);
      if (field.isImmutable) throw new Error(`The field ${name} of ${model.modelName} does not change`);
      const problem = rules.has(name) ? field.check(operator === '$set' ? value : undefined) : undefined;
      if (problem !== undefined) throw new Error(`An update of ${model.modelName}: ${name} ${problem}`);
    }
  }
}

/** Whether a text stands in a filter's condition on a field, as its value or with an operator. */
function holdsText(condition: unknown): boolean {
  if (typeof condition === 'string') return true;
  if (typeof condition !== 'object' || condition === null || '_bsontype' in condition) return false;
  if (condition instanceof Date) return false;
  return Object.entries(condition).some(([operator, value]) => operator !== '$type' && holdsText(value));
}

function problemOf(rules: Rules, record: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of Object.keys(record)) if (!rules.has(name)) return `${name} is unknown`;
  for (const [name, { check }] of rules) {
    const problem = check(record[name]);
    if (problem !== undefined) return `${name} ${problem}`;
  }
  return undefined;
}

/** The rules of a field, or of the one that a path such as `idempotency.scope` lies in. */
function rulesFor(rules: Rules, path: string): FieldRules | undefined {
  const dot = path.indexOf('.');
  return rules.get(dot < 0 ? path : path.slice(0, dot));
}

function rulesOf(schema: object): Rules {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const rules = new Map<string, FieldRules>();
  (schema as Schema).eachPath((name, type) => {
    const isImmutable = name === '_id' || (type.options as { immutable?: boolean }).immutable === true;
    const isNeverText = type.instance === 'ObjectId' || type.instance === 'Date';
    rules.set(name, { isImmutable, isNeverText, check: checkOf(type) });
  });
  known.set(schema, rules);
  return rules;
}

function checkOf(type: SchemaType): Check {
  const { required = false } = type.options as { required?: boolean };
  const isRequired = required || type.path === '_id';
  const ofValue = checkOfValue(type);
  return (value) => {
    if (value === undefined || value === null) return isRequired ? 'is required' : undefined;
    // As Mongoose has it: a text that must be there says something.
    return isRequired && value === '' ? 'is required' : ofValue(value);
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
    if (!isOfType(value)) return `is no ${instance}`;
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    return choices === undefined || entries.every((entry) => choices.has(entry)) ? undefined : 'is none of its choices';
  };
}

function choicesOf(type: SchemaType): ReadonlySet<unknown> | undefined {
  const { enum: choices } = type.options as { enum?: readonly unknown[] };
  return Array.isArray(choices) ? new Set(choices) : undefined;
}
