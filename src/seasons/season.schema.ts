import type { Schema } from 'mongoose';
import { adminCreator, recordSchema, type RecordId, type StoredRecord, storedFields } from '../database/record.js';

/** A season, of one organization or, without `organizationId`, of all. */
export interface SeasonRecord extends StoredRecord {
  name: string;
  startDate: Date;
  endDate: Date;
  organizationId?: RecordId;
  createdBy?: RecordId;
}

export const seasonModel = 'Season';

export const seasonSchema: Schema<SeasonRecord> = recordSchema<SeasonRecord>('seasons', {
  ...storedFields,
  name: { type: String, required: true },
  startDate: { type: Date, required: true },
  endDate: { type: Date, required: true },
  organizationId: { type: 'ObjectId' },
  createdBy: adminCreator,
});

// Serves the partners' list: the shared seasons and the organization's own, newest first.
seasonSchema.index({ organizationId: 1, startDate: -1, _id: 1 }, { name: 'seasons_of_organization' });
// Serves the admins' list of all seasons, newest first.
seasonSchema.index({ startDate: -1, _id: 1 }, { name: 'seasons_by_start' });
