import type { Type } from '@nestjs/common';
import type { IndexDefinition, Schema, SchemaDefinition } from 'mongoose';
import type { Clock } from '../common/clock.js';
import type { IdempotencyKey, RequestContext } from '../common/context/request-context.js';
import { notDeleted } from '../database/organization.repository.js';
import {
  newRecordId,
  type OrganizationRecord,
  type RecordId,
  recordSchema,
  reference,
  storedFieldsOf,
  type SyncedRecord,
  toRecordId,
} from '../database/record.js';
import { firstRevision } from '../database/revision.js';

/** The key and first response of a create request, stored in the created record and thus in the same atomic write. */
export interface FirstResponse extends IdempotencyKey {
  /** Response body as JSON. */
  readonly answer: string;
  readonly at: Date;
}

/** Internal fields of a record that API keys create. */
export interface IdempotentRecord extends SyncedRecord, OrganizationRecord {
  createdBy: RecordId;
  /** Time of the soft deletion. */
  deletedAt: Date | null;
  idempotency?: FirstResponse;
}

/** Creates the common fields of a new record. */
export function newRecord(context: RequestContext, clock: Clock): IdempotentRecord {
  const now = clock.now();
  return {
    _id: newRecordId(),
    organizationId: toRecordId(context.organization.id),
    createdBy: toRecordId(context.actingUser.id),
    deletedAt: null,
    revision: firstRevision,
    createdAt: now,
    updatedAt: now,
  };
}

const text = { type: String, required: true };
const internalFields = {
  createdBy: reference,
  deletedAt: { type: Date },
  idempotency: {
    type: {
      _id: false,
      scope: text,
      keyHash: text,
      fingerprint: text,
      answer: text,
      at: { type: Date, required: true },
    },
    required: false,
  },
} satisfies SchemaDefinition;

export const idempotencyIndexName = 'one_record_per_idem_key';
export const externalIdIndexName = 'one_record_per_external_id';

/**
 * Creates the schema of records that API keys create, from the class of the resource, with the unique indexes of idem-keys
 * and of external IDs.
 * @param fields the fields that are stored but not in responses
 * @param parents the fields within whose values an external ID is unique
 */
export function idempotentSchema<T extends IdempotentRecord>(
  collection: string,
  resource: Type<object>,
  { fields = {}, parents = {} }: { readonly fields?: SchemaDefinition; readonly parents?: IndexDefinition } = {},
): Schema<T> {
  const definition = { ...storedFieldsOf(resource), ...internalFields, ...fields };
  const schema = recordSchema<T>(collection, definition) as Schema<T>;
  const addUnique = (name: string, keys: IndexDefinition, partialFilterExpression: object) =>
    schema.index({ organizationId: 1, ...keys }, { name, unique: true, partialFilterExpression });
  const key = { 'idempotency.scope': 1, 'idempotency.keyHash': 1 } as const;
  addUnique(idempotencyIndexName, key, { 'idempotency.keyHash': { $exists: true } });
  addUnique(externalIdIndexName, { ...parents, externalId: 1 }, { externalId: { $exists: true }, ...notDeleted });
  return schema;
}
