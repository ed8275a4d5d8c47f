import type { Schema } from 'mongoose';
import { recordSchema, type RecordId } from '../../database/record.js';

/** What the feed contains. The ID of `playerStatistics` is the ID of the schedule. */
export const changeKinds = ['season', 'team', 'player', 'schedule', 'playerStatistics'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** The place of a record in the change feed. Each change of the record moves it to the end. */
export interface Change {
  /** `<kind>.<id of the record>` */
  _id: string;
  kind: ChangeKind;
  /** Null for a shared season, which is in the feed of every organization. */
  organizationId: RecordId | null;
  /** `<cluster time of the latest change>.<_id>`: a total order. */
  position: string;
  changedAt: Date;
  /** When the row of a deleted record is removed. */
  expiresAt?: Date;
}

/** How far the feed is complete: all changes up to a cluster time are in it. */
export interface Checkpoint {
  /** The cluster time as 16 hexadecimal digits: seconds and ordinal. */
  time: string;
  /** Where the change stream continues; after a rebuild it starts at `time`. */
  resumeToken?: unknown;
}

export const changeModel = 'Change';
export const checkpointModel = 'ChangeCheckpoint';
/** The `_id` of the only checkpoint. */
export const checkpointId = 'feed';

export const changeSchema: Schema<Change> = recordSchema<Change>('changes', {
  _id: { type: String },
  kind: { type: String, required: true, enum: changeKinds },
  organizationId: { type: 'ObjectId' },
  position: { type: String, required: true },
  changedAt: { type: Date, required: true },
  expiresAt: { type: Date },
});

export const checkpointSchema = recordSchema<Checkpoint & { _id: string }>('changeCheckpoints', {
  _id: { type: String },
  time: { type: String, required: true },
  resumeToken: { type: 'Mixed' },
});

// Serves a page of the feed of an organization, with shared seasons, for any kinds.
changeSchema.index({ organizationId: 1, kind: 1, position: 1 }, { name: 'changes_by_position' });
// Removes the rows of deleted records.
changeSchema.index(
  { expiresAt: 1 },
  { name: 'changes_expiry', expireAfterSeconds: 0, partialFilterExpression: { expiresAt: { $exists: true } } },
);

const dayMilliseconds = 24 * 60 * 60 * 1_000;
/** How long a cursor is valid after its reader was up to date, in milliseconds. */
export const cursorLifetime = 30 * dayMilliseconds;
/** How long the row of a deleted record is kept; longer than a cursor is valid, in milliseconds. */
const tombstoneLifetime = 31 * dayMilliseconds;

/** Returns the wall-clock time of a cluster time or a position, in milliseconds, as the database's clock has it. */
export function millisecondsOf(time: string): number {
  return Number.parseInt(time.slice(0, 8), 16) * 1_000;
}

/** Returns when the row of a record that was deleted at a cluster time is removed. */
export function expiryOf(time: string): Date {
  return new Date(millisecondsOf(time) + tombstoneLifetime);
}
