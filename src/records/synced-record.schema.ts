import type { Type } from '@nestjs/common';
import { Prop, SchemaFactory } from '@nestjs/mongoose';
import type { IndexDefinition, Schema } from 'mongoose';
import type { Clock } from '../config/clock.js';
import type { IdempotencyKey, Tenant, RecordContext } from '../access/request-context.js';
import { field } from '../validation/field.js';
import { ExternalIdField } from '../validation/ids.js';
import { NumberField } from '../validation/fields.js';
import { ChangedBy, changedByOf } from './changed-by.js';
import { notDeleted, softDelete } from '../database/plugins/soft-delete.js';
import {
  firstRevision,
  newRecordId,
  type OrganizationRecord,
  type RecordId,
  StoredRecord,
  toRecordId,
} from '../database/record.js';

export const externalIdOptions = {
  description:
    "Your own ID of the record: 1 to 128 characters of `A-Z a-z 0-9 . _ : ~ @ -`. Must be unique among the organization's records of this type that are not deleted; for players, within the team.",
  example: 'erp-4711',
};

/** Base class of the records that partners synchronize with their own. */
export abstract class SyncedRecord extends StoredRecord {
  @ExternalIdField({ ...externalIdOptions, createExample: 'erp-4712', clearable: true })
  externalId?: string;

  @NumberField({
    description: 'The version of the record: 1 on creation, then 1 more with every change. Also sent as `ETag`.',
    minimum: 1,
    integer: true,
    example: 1,
    required: true,
  })
  revision!: number;

  @field(
    {
      description: 'Who made the latest change. Omitted for records that have not changed since this was introduced.',
    },
    { schema: { type: ChangedBy }, stored: 'Mixed' },
  )
  changedBy?: ChangedBy;
}

/** The key and first response of a create request, stored in the created record and thus in the same atomic write. */
export interface FirstResponse extends Omit<IdempotencyKey, 'route'> {
  /** The route of the key. */
  readonly scope: string;
  /** Response body as JSON. */
  readonly answer: string;
  readonly at: Date;
}

export function toFirstResponse({ route, ...hashes }: IdempotencyKey, response: object, at: Date): FirstResponse {
  return { scope: route, ...hashes, answer: JSON.stringify(response), at };
}

/** Extends the class of a resource by the stored fields of every synced record that no response shows. */
export function Stored<T extends SyncedRecord>(resource: Type<T>) {
  class StoredResource extends (resource as Type<SyncedRecord>) implements OrganizationRecord {
    organizationId!: RecordId;
    @Prop({ type: 'ObjectId' }) createdBy!: RecordId;
    @Prop({ type: Date }) deletedAt!: Date | null;
    @Prop({ type: 'Mixed' }) idempotency?: FirstResponse;
  }
  return StoredResource as Type<T & StoredResource>;
}

/** A record that partners synchronize, as stored. */
export type StoredSyncedRecord = InstanceType<ReturnType<typeof Stored<SyncedRecord>>>;

/** Returns the fields of every new record. */
export function newFields(actor: Omit<Tenant, 'organization'>, clock: Clock) {
  const now = clock.now();
  const version = { revision: firstRevision, changedBy: changedByOf(actor) };
  return { _id: newRecordId(), deletedAt: null, ...version, createdAt: now, updatedAt: now };
}

/** Returns the fields of a new record of the key's organization. */
export function newRecord(context: RecordContext, clock: Clock): StoredSyncedRecord {
  const organizationId = toRecordId(context.organization.id);
  return { ...newFields(context, clock), organizationId, createdBy: toRecordId(context.actingUser.id) };
}

export const ignoringCase = { locale: 'en', strength: 1 } as const;

/** Matches texts that begin with a text: U+FFFF comes after all other characters. */
export const beginningWith = (text: string) => ({ $gte: text, $lt: `${text}\uffff` });

/** Adds the index of the search by name. Records must have a name. */
export function addNameIndex<T extends StoredSyncedRecord>(
  schema: Schema<T>,
  field: keyof T & string,
  name: string,
): void {
  const keys = { organizationId: 1, [field]: 1 } as const;
  schema.index(keys, { name, collation: ignoringCase, partialFilterExpression: notDeleted });
}

export const idempotencyIndexName = 'one_record_per_idem_key';
export const externalIdIndexName = 'one_record_per_external_id';

/**
 * Creates the schema of records that API keys create, with the unique indexes of idem-keys and of external IDs.
 * @param parents the fields within whose values an external ID is unique
 */
export function syncedSchema<T extends StoredSyncedRecord>(record: Type<T>, parents: IndexDefinition = {}): Schema<T> {
  const schema = SchemaFactory.createForClass(record);
  const addUnique = (name: string, keys: IndexDefinition, partialFilterExpression: object) =>
    schema.index({ organizationId: 1, ...keys }, { name, unique: true, partialFilterExpression });
  const key = { 'idempotency.scope': 1, 'idempotency.keyHash': 1 } as const;
  addUnique(idempotencyIndexName, key, { 'idempotency.keyHash': { $exists: true } });
  addUnique(externalIdIndexName, { ...parents, externalId: 1 }, { externalId: { $exists: true }, ...notDeleted });
  return schema.plugin(softDelete);
}
