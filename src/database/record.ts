import type { Type } from '@nestjs/common';
import { Schema, type SchemaDefinition, Types, type UpdateQuery } from 'mongoose';
import type { Author } from '../common/context/request-context.js';
import { isAlwaysSet } from '../common/validation/dto.js';
import { fieldsOf } from '../common/validation/field.js';
import { DateField } from '../common/validation/fields.js';

/** An id as the database keeps it; the rest of the code handles ids as texts. */
export type RecordId = Types.ObjectId;

const example = '2027-02-01T09:00:00.000Z';

/** What every stored record has. */
export abstract class StoredRecord {
  _id!: RecordId;

  @DateField({ description: 'When it was made.', example, required: true, immutable: true })
  createdAt!: Date;

  @DateField({ description: 'When it was changed last.', example, required: true })
  updatedAt!: Date;
}

/** What every record of an organization has. */
export interface OrganizationRecord extends StoredRecord {
  organizationId: RecordId;
}

/** An id's text as the database's id. */
export function toRecordId(id: string): RecordId {
  return new Types.ObjectId(id);
}

/** The id of the admin who acts, as `createdBy` holds it; undefined for the server itself and for operators. */
export function adminIdOf(author: Author): RecordId | undefined {
  return 'system' in author ? undefined : toRecordId(author.user.id);
}

/** A new id. */
export function newRecordId(): RecordId {
  return new Types.ObjectId();
}

/**
 * A schema in the house's ways: unknown fields and filters throw instead of being dropped, nothing is buffered
 * while the database is away, indexes are made explicitly, no version key.
 */
export function recordSchema<T extends { _id: RecordId }>(collection: string, definition: SchemaDefinition): Schema<T> {
  return new Schema<T>(definition as SchemaDefinition<T>, {
    collection,
    strict: 'throw',
    strictQuery: 'throw',
    versionKey: false,
    minimize: false,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    id: false,
  });
}

/** Returns the stored fields that the class of a resource declares, as its schema has them. Computed fields are left out. */
export function storedFieldsOf(resource: Type<object>): SchemaDefinition {
  const fields = [...fieldsOf(resource)].filter(([name, { stored }]) => name !== '_id' && stored !== undefined);
  const stored = fields.map(([name, field]) => [
    name,
    {
      type: field.stored,
      required: isAlwaysSet(field),
      ...(field.choices && { enum: field.choices }),
      ...(field.immutable === true && { immutable: true }),
    },
  ]);
  return Object.fromEntries(stored) as SchemaDefinition;
}

/** The fields of every record. */
export const storedFields = storedFieldsOf(StoredRecord as Type<StoredRecord>);

/** The fields of every record of an organization. */
export const organizationFields = {
  ...storedFields,
  organizationId: { type: Schema.Types.ObjectId, required: true, immutable: true },
} satisfies SchemaDefinition;

/** The admin who created a record; absent on records that the server itself or an operator created. */
export const adminCreator = { type: 'ObjectId', immutable: true } satisfies SchemaDefinition[string];

/** A reference to another record. */
export const reference = { type: Schema.Types.ObjectId, required: true } satisfies SchemaDefinition[string];

/** Changes of a record: a value sets a field, null clears it, an omitted field keeps its value. */
export type FieldChanges<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/** Builds an update of the named fields only, so that nothing a client sends can be an operator. */
export function toUpdate<T>(changes: FieldChanges<T>): UpdateQuery<T> {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set = Object.fromEntries(named.filter(([, value]) => value !== null));
  const unset = Object.fromEntries(named.filter(([, value]) => value === null).map(([field]) => [field, 1]));
  return { $set: set, $unset: unset } as UpdateQuery<T>;
}
