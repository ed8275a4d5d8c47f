import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { mongo } from 'mongoose';
import { feedTombstone } from '../../config/time-windows.js';
import type { ChangedBy } from '../../records/changed-by.js';
import { type RecordId, storage } from '../../database/record.js';
import { historyKinds, historySources } from '../history/history.schema.js';
import { toScheduleResponse } from '../schedules/schedule.dto.js';
import { ScheduleRecord } from '../schedules/schedule.schema.js';

/** What the feed contains. The ID of `playerStatistics` is the ID of the schedule. */
export const changeKinds = [...historyKinds, 'playerStatistics'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Where the records of a kind are stored. */
export interface ChangeSource {
  readonly kind: ChangeKind;
  readonly model: string;
  readonly collection: string;
  /** The time of the latest change; a record without it is not in the feed. */
  readonly changedAt: 'updatedAt' | 'statisticsWrittenAt';
  readonly toResponse: (record: never) => RecordResponse;
}

/** A record as in the responses of its own routes. */
export interface RecordResponse {
  readonly _id: string;
  readonly externalId?: string;
  readonly teamId?: string;
  readonly revision?: number;
  readonly changedBy?: ChangedBy;
}

const recordSources = historyKinds.map((kind): ChangeSource => {
  const { model, collection, toJson } = historySources[kind];
  const toResponse = kind === 'schedule' ? toScheduleResponse : (toJson as unknown as ChangeSource['toResponse']);
  return { kind, model, collection, changedAt: 'updatedAt', toResponse };
});

export const statisticsSource: ChangeSource = {
  kind: 'playerStatistics',
  model: ScheduleRecord.name,
  collection: 'schedules',
  changedAt: 'statisticsWrittenAt',
  toResponse: toScheduleResponse,
};

export const changeSources: readonly ChangeSource[] = [...recordSources, statisticsSource];

/** The place of a record in the change feed. Each change of the record moves it to the end. */
@Schema({ collection: 'changes', ...storage })
export class Change {
  /** `<kind>.<id of the record>` */
  @Prop({ type: String }) _id!: string;
  @Prop({ type: String }) kind!: ChangeKind;
  /** Null for a shared season, which is in the feed of every organization. */
  @Prop({ type: 'ObjectId' }) organizationId!: RecordId | null;
  /** `<cluster time of the latest change>.<_id>`: a total order. The time has 16 hexadecimal digits. */
  @Prop({ type: String }) position!: string;
  /** The position of its insertion, which stays when the row moves; absent if a rebuild added the row. */
  @Prop({ type: String }) created?: string;
  @Prop({ type: Date }) changedAt!: Date;
  @Prop({ type: Date }) expiresAt?: Date;
}

/** The row without a record that stands at the end of the feed: all changes before it are in the feed. */
export interface Checkpoint {
  _id: string;
  /** `<cluster time>~`: after all rows of that time, or `<cluster time>`: before them. */
  position: string;
  /** The position of the latest rebuild: the rows up to it may have moved without a change. */
  rebuilt?: string;
  /** The cluster time at which the feed was built without a checkpoint: earlier cursors can be from before a restore. */
  built?: string;
  /** Where the change stream continues; after a rebuild it starts at the cluster time. */
  resumeToken?: unknown;
}

export const checkpointId = 'checkpoint';
/** The row without a record that says up to where the changes have been dispatched to webhook endpoints. */
export const dispatchedId = 'dispatched';

export const changeSchema = SchemaFactory.createForClass(Change);

// Serves a page of the feed of an organization, with shared seasons, for any kinds.
changeSchema.index({ organizationId: 1, kind: 1, position: 1 }, { name: 'changes_by_position' });
// Serves the rows that were inserted in a range of the feed, even if they have moved since.
changeSchema.index({ organizationId: 1, kind: 1, created: 1 }, { name: 'changes_by_creation' });
// Serves the organizations of the latest changes, without reading rows.
changeSchema.index({ position: 1, organizationId: 1 }, { name: 'latest_changes' });
// Removes the rows of deleted records.
changeSchema.index(
  { expiresAt: 1 },
  { name: 'changes_expiry', expireAfterSeconds: 0, partialFilterExpression: { expiresAt: { $exists: true } } },
);

export function recordIdOf({ _id }: Pick<Change, '_id'>): string {
  return _id.slice(_id.indexOf('.') + 1);
}

/** Names a changed record and its version, without personal data. An erased record has only its kind and ID. */
export function toChangeData({ _id }: Pick<Change, '_id'>, deleted: boolean, record?: RecordResponse) {
  const [kind] = _id.split('.') as [ChangeKind];
  const { externalId, teamId } = record ?? {};
  // Statistics are read from their schedule, which has a version of its own.
  const { revision, changedBy }: Partial<RecordResponse> = kind === 'playerStatistics' ? {} : (record ?? {});
  return { kind, id: recordIdOf({ _id }), externalId, teamId, revision, deleted, changedBy };
}

/** Returns a cluster time as text in the order of time. */
export function toText(time: mongo.Timestamp): string {
  return time.toBigInt().toString(16).padStart(16, '0');
}

export function clusterTimeOf(position: string): mongo.Timestamp {
  return new mongo.Timestamp(BigInt(`0x${position.slice(0, 16)}`));
}

/** Returns the wall-clock time of a position, in milliseconds, as the database's clock has it. */
export function millisecondsOf(position: string): number {
  return Number.parseInt(position.slice(0, 8), 16) * 1_000;
}

/** Returns when the row of a record that was deleted at a position expires. */
export function expiryOf(time: string): Date {
  return new Date(millisecondsOf(time) + feedTombstone);
}

/**
 * Returns the cluster time before which a stream has delivered all events: that of its resume token, whose hexadecimal text
 * starts with 82 and the cluster time.
 */
export function timeOf(resumeToken: unknown): string {
  return (resumeToken as { _data: string })._data.slice(2, 18).toLowerCase();
}
