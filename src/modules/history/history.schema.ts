import type { Type } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type RecordId, storage } from '../../database/record.js';
import type { ChangedBy } from '../../records/changed-by.js';
import { fieldNamesOf, jsonMapper } from '../../validation/dto.js';
import { Player, PlayerRecord } from '../players/player.schema.js';
import { Schedule, ScheduleRecord } from '../schedules/schedule.schema.js';
import { Season, SeasonRecord } from '../seasons/season.schema.js';
import { Team, TeamRecord } from '../teams/team.schema.js';

/** Which records have a history. */
export const historyKinds = ['season', 'team', 'player', 'schedule'] as const;
export type HistoryKind = (typeof historyKinds)[number];

export const historyActions = ['created', 'updated', 'deleted', 'moved'] as const;
export type HistoryAction = (typeof historyActions)[number];

/** What every response has beside the changes, or what never changes. */
const otherFields = ['_id', 'organizationId', 'createdAt', 'updatedAt', 'revision', 'changedBy'];

const sourceOf = (model: string, collection: string, resource: Type<object>) => ({
  model,
  collection,
  /** The public fields that a history has, in the order of responses. */
  fields: fieldNamesOf(resource).filter((name) => !otherFields.includes(name)) as string[],
  /** Maps stored values to those of responses. */
  toJson: jsonMapper(resource) as (values: object) => Readonly<Record<string, unknown>>,
});

/** Where the records of a kind are stored, and what they have. */
export const historySources = {
  season: sourceOf(SeasonRecord.name, 'seasons', Season),
  team: sourceOf(TeamRecord.name, 'teams', Team),
  player: sourceOf(PlayerRecord.name, 'players', Player),
  schedule: sourceOf(ScheduleRecord.name, 'schedules', Schedule),
} as const satisfies Record<HistoryKind, unknown>;

/** A change of a record: its revision with the new values. The values before are in earlier changes. */
@Schema({ collection: 'recordHistory', ...storage })
export class RecordChange {
  /** `<kind>.<ID of the record>.<revision>`, so that every server stores a change under the same ID, and in order. */
  @Prop({ type: String }) _id!: string;
  /** Null for a shared season. */
  @Prop({ type: 'ObjectId' }) organizationId!: RecordId | null;
  @Prop({ type: Date }) at!: Date;
  @Prop({ type: String }) action!: HistoryAction;
  @Prop({ type: 'Mixed' }) changedBy?: ChangedBy;
  /** The new values of the fields that were written; null for those that were cleared. */
  @Prop({ type: 'Mixed' }) values!: Readonly<Record<string, unknown>>;
  /** Whether all fields were written, so that the record has no others. */
  @Prop({ type: Boolean }) isComplete?: boolean;
}

export const recordChangeSchema = SchemaFactory.createForClass(RecordChange);

// Few indexes, as every write of a record inserts a change: the list of a record's changes is a range of their IDs.
// Deletes changes after 90 days.
recordChangeSchema.index({ at: 1 }, { name: 'expiring_history', expireAfterSeconds: 90 * 24 * 60 * 60 });
// Serves the erasure of an organization.
recordChangeSchema.index({ organizationId: 1 }, { name: 'history_of_organization' });

const revisionDigits = 15;
/** Of how many earlier changes the values are read; older values stay unknown, however often a record changes. */
export const maxEarlier = 1_000;

/** Returns the ID of a change. */
export function changeIdOf(kind: HistoryKind, recordId: string, revision: number): string {
  return `${kind}.${recordId}.${String(revision).padStart(revisionDigits, '0')}`;
}

/** Matches the IDs of the changes of a record before a revision; all if it is omitted. */
export function changesOfRecord(kind: HistoryKind, recordId: string, before?: number) {
  const $lt = before === undefined ? `${kind}.${recordId}/` : changeIdOf(kind, recordId, before);
  return { $gt: `${kind}.${recordId}.`, $lt };
}

export function revisionOfChange({ _id }: Pick<RecordChange, '_id'>): number {
  return Number(_id.slice(-revisionDigits));
}
