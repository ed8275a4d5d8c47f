import type { Schema } from 'mongoose';
import { organizationFields, recordSchema, type RecordId, reference } from '../database/record.js';
import { idempotencyField, idempotencyIndex, type IdempotentRecord } from '../idempotency/idempotent.repository.js';

/** A team of an organization. */
export interface TeamRecord extends IdempotentRecord {
  name: string;
  season: RecordId;
  footballType: string;
  ageGroup: string;
  gender: string;
  isArchived: boolean;
  logoUrl?: string;
  createdBy: RecordId;
  deletedAt: Date | null;
}

export const teamModel = 'Team';

const text = { type: String, required: true };

export const teamSchema: Schema<TeamRecord> = recordSchema<TeamRecord>('teams', {
  ...organizationFields,
  ...idempotencyField,
  name: text,
  season: reference,
  footballType: text,
  ageGroup: text,
  gender: text,
  isArchived: { type: Boolean, required: true },
  logoUrl: { type: String },
  createdBy: reference,
  deletedAt: { type: Date },
});

// Serves the list of an organization's teams in order of creation.
teamSchema.index({ organizationId: 1, deletedAt: 1, createdAt: 1, _id: 1 }, { name: 'teams_of_organization' });
teamSchema.index(...idempotencyIndex);
