import type { RecordContext } from '../access/request-context.js';
import { assertRevision, changesOf, type FieldChanges, type RecordId } from '../database/record.js';
import { ServiceError, writeConflict } from '../errors/service-error.js';
import type { BulkResponse, ParsedRow, Warning } from './bulk.dto.js';
import { changedByOf } from './changed-by.js';
import type { SyncedRecord } from './synced-record.schema.js';

/** The changes of a stored record. */
export interface StoredUpdate<T> {
  readonly id: RecordId;
  readonly revision: number | undefined;
  readonly changes: FieldChanges<T>;
}

/** A new record, or the changes of a stored one. */
export type BulkWrite<T> = { readonly record: T } | StoredUpdate<T>;

/** What happens to a row: it fails with an error, or its record is written, unless it is unchanged. */
export type Outcome<S> =
  | {
      readonly result: 'created' | 'updated' | 'unchanged' | 'deleted' | 'moved';
      /** Undefined if a row deletes a record that does not exist. */
      readonly record?: S;
      readonly write?: BulkWrite<S>;
      readonly error?: undefined;
    }
  | { readonly result: 'failed'; readonly error: ServiceError; readonly write?: undefined };

/** The outcome of a failed row, by default because other requests keep changing its record. */
export function failed(error?: ServiceError) {
  return { result: 'failed', error: error ?? writeConflict('The record is being changed by other requests') } as const;
}

/** The outcome of a row that changes a stored record, if it does. */
export function updated<S extends SyncedRecord>(
  context: RecordContext,
  stored: S,
  changes: FieldChanges<S>,
  now: Date,
): Outcome<S> {
  const differing = changesOf(stored, changes);
  if (Object.keys(differing).length === 0) return { result: 'unchanged', record: stored };
  return { result: 'updated', ...writeOf(context, stored, differing, now) };
}

/**
 * The outcome of a row that deletes a stored record.
 * @param used what the teams that cannot be deleted have, by ID
 * @throws ServiceError 40908, 41201
 */
export function deleted<S extends SyncedRecord>(
  context: RecordContext,
  stored: S,
  now: Date,
  used?: ReadonlyMap<string, string>,
) {
  assertRevision(context, stored);
  const contents = used?.get(String(stored._id));
  if (contents !== undefined) throw new ServiceError('teamInUse', { message: `The team has ${contents}` });
  return { result: 'deleted', ...writeOf(context, stored, { deletedAt: now } as object, now) } as const;
}

function writeOf<S extends SyncedRecord>(context: RecordContext, stored: S, differing: FieldChanges<S>, now: Date) {
  const { _id: id, revision } = stored;
  const version = { revision: revision + 1, updatedAt: now, changedBy: changedByOf(context) };
  const changes: FieldChanges<S> = { ...differing, ...version };
  return { record: Object.assign({}, stored, changes), write: { id, revision, changes } };
}

/** Returns the response to a bulk request with the outcomes of its rows. */
export function toBulkResponse(
  rows: readonly ParsedRow<object>[],
  outcomes: readonly Outcome<SyncedRecord>[],
  dryRun: boolean,
  warningsOf: ReadonlyMap<SyncedRecord, readonly Warning[]> = new Map(),
  others: Record<string, number> = {},
): BulkResponse {
  const summary: Record<string, number> = { created: 0, updated: 0, unchanged: 0, deleted: 0, ...others, failed: 0 };
  const data = outcomes.map((outcome, index) => {
    const { result } = outcome;
    summary[result] = (summary[result] ?? 0) + 1;
    const externalId = rows[index]?.externalId;
    const row = { index, ...(externalId !== undefined && { externalId }), result };
    if (outcome.result === 'failed') {
      const { entry, message, details } = outcome.error;
      return { ...row, error: { error: entry.code, message, ...(details && { details }) } };
    }
    const warnings = outcome.record && warningsOf.get(outcome.record);
    // A dry run creates no record, and therefore no ID.
    const { record } = dryRun && result === 'created' ? {} : outcome;
    const ids = record && { _id: record._id.toHexString(), revision: record.revision };
    return { ...row, ...ids, ...(warnings && { warnings }) };
  });
  return { data, summary, dryRun };
}
