import { Schema } from 'mongoose';
import { organizationFields, recordSchema, type RecordId, reference } from '../database/record.js';
import { idempotencyField, idempotencyIndex, type IdempotentRecord } from '../idempotency/idempotent.repository.js';
import { type EventType, eventTypes, type OvertimeType, overtimeTypes } from './schedule-values.js';

/** A game or a practice of a team. */
export interface ScheduleRecord extends IdempotentRecord {
  /** The owning team. */
  teamOneId: RecordId;
  teamTwoId?: RecordId;
  teamTwoName: string;
  eventType: EventType;
  eventTitle: string;
  startDate: Date;
  endDate: Date;
  duration: number;
  matchupFormat: string;
  teamFormat: string;
  isTestGame: boolean;
  isScrimmage: boolean;
  enableYardage: boolean;
  allowZeroYardStart: boolean;
  fieldSizeInYard?: number;
  overtimeType: OvertimeType;
  overtimeDuration?: number;
  locationName?: string;
  placeId?: string;
  location?: string | Record<string, unknown>;
  practiceNote?: string;
  tournamentId?: string;
  createdBy: RecordId;
  deletedAt: Date | null;
  /** The slot of time in which `filter=live` finds it; missing if the record was written by hand. */
  slot?: number;
  /** Moved by every writing of the game's statistics, so that two at once are done one after the other. */
  statisticsWrittenAt?: Date;
}

export const scheduleModel = 'Schedule';

const text = { type: String, required: true };
const flag = { type: Boolean, required: true };
const instant = { type: Date, required: true };

export const scheduleSchema: Schema<ScheduleRecord> = recordSchema<ScheduleRecord>('schedules', {
  ...organizationFields,
  ...idempotencyField,
  teamOneId: { ...reference, immutable: true },
  teamTwoId: { type: Schema.Types.ObjectId },
  teamTwoName: text,
  eventType: { ...text, enum: eventTypes },
  eventTitle: text,
  startDate: instant,
  endDate: instant,
  duration: { type: Number, required: true },
  matchupFormat: text,
  teamFormat: text,
  isTestGame: flag,
  isScrimmage: flag,
  enableYardage: flag,
  allowZeroYardStart: flag,
  fieldSizeInYard: { type: Number },
  overtimeType: { ...text, enum: overtimeTypes },
  overtimeDuration: { type: Number },
  locationName: { type: String },
  placeId: { type: String },
  location: { type: Schema.Types.Mixed },
  practiceNote: { type: String },
  tournamentId: { type: String },
  createdBy: reference,
  deletedAt: { type: Date },
  slot: { type: Number },
  statisticsWrittenAt: { type: Date },
});

// Serves the list of an organization's schedules by their beginning: all, upcoming, and between two moments.
scheduleSchema.index({ organizationId: 1, deletedAt: 1, startDate: 1, _id: 1 }, { name: 'schedules_by_start' });
// Serves the list of what is live: neither the past nor the future, which grow, are looked at.
scheduleSchema.index(
  { organizationId: 1, deletedAt: 1, slot: 1, endDate: 1, startDate: 1 },
  { name: 'schedules_by_slot' },
);
// Serves the question whether anything of an organization was changed since its schedules were counted.
scheduleSchema.index({ organizationId: 1, updatedAt: 1 }, { name: 'schedules_by_change' });
// Serve the list of a team's schedules, on either side.
scheduleSchema.index(
  { organizationId: 1, deletedAt: 1, teamOneId: 1, startDate: 1, _id: 1 },
  { name: 'schedules_of_team_one' },
);
scheduleSchema.index(
  { organizationId: 1, deletedAt: 1, teamTwoId: 1, startDate: 1, _id: 1 },
  { name: 'schedules_of_team_two' },
);
scheduleSchema.index(...idempotencyIndex);
