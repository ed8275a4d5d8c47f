import type { Schema, SchemaType } from 'mongoose';

export interface CheckedModel {
  readonly modelName: string;
  readonly schema: Pick<Schema, 'paths'>;
  readonly collection: object;
}

const updateOperators: ReadonlySet<string> = new Set(['$set', '$unset', '$max', '$min', '$inc', '$push', '$pull']);

/**
 * Validates that a filter names only fields of the schema, and does not compare IDs and times with strings: MongoDB
 * would match no record, or every record.
 * @throws Error for an unknown field, an undefined value, and a string instead of an ID or a time
 */
export function assertFilter(model: CheckedModel, filter: object): void {
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and' || name === '$or' || name === '$nor') {
      for (const part of value as object[]) assertFilter(model, part);
      continue;
    }
    const field = fieldOf(model, name);
    if (field === undefined) throw new Error(`A filter names ${name}, which ${model.modelName} does not have`);
    // The driver would drop an undefined condition, and the filter would match more.
    if (value === undefined) throw new Error(`A filter of ${model.modelName} has no value for ${name}`);
    const isIdOrTime = field.instance === 'ObjectId' || field.instance === 'Date';
    if (isIdOrTime && hasString(value))
      throw new Error(`A filter of ${model.modelName} compares ${name} with a string`);
  }
}

/**
 * Validates that an update sets and unsets only fields of the schema that are not immutable.
 * @throws Error for any other update
 */
export function assertUpdate(model: CheckedModel, update: object): void {
  for (const [operator, fields] of Object.entries(update)) {
    if (!updateOperators.has(operator)) throw new Error(`An update must not use ${operator}`);
    for (const name of Object.keys(fields as object)) {
      const field = fieldOf(model, name);
      if (field === undefined) throw new Error(`An update names ${name}, which ${model.modelName} does not have`);
      if (name === '_id' || (field.options as { immutable?: boolean }).immutable === true)
        throw new Error(`An update changes ${name}, which is immutable in ${model.modelName}`);
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

/** Returns a field of the schema, or the one that contains a path such as `idempotency.scope`. */
function fieldOf({ schema }: CheckedModel, path: string): SchemaType | undefined {
  const dot = path.indexOf('.');
  return schema.paths[dot < 0 ? path : path.slice(0, dot)];
}
