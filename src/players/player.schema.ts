import type { Schema } from 'mongoose';
import { organizationFields, recordSchema, type RecordId, reference } from '../database/record.js';
import { idempotencyField, idempotencyIndex, type IdempotentRecord } from '../idempotency/idempotent.repository.js';

/** A player on the roster of a team. */
export interface PlayerRecord extends IdempotentRecord {
  teamId: RecordId;
  name: string;
  email?: string;
  position: string[];
  jerseyNumber?: string;
  profilePicture?: string;
  createdBy: RecordId;
  deletedAt: Date | null;
}

export const playerModel = 'Player';

export const playerSchema: Schema<PlayerRecord> = recordSchema<PlayerRecord>('players', {
  ...organizationFields,
  ...idempotencyField,
  teamId: { ...reference, immutable: true },
  name: { type: String, required: true },
  email: { type: String },
  position: { type: [String], required: true },
  jerseyNumber: { type: String },
  profilePicture: { type: String },
  createdBy: reference,
  deletedAt: { type: Date },
});

// Serves the list of a team's players in order of creation.
playerSchema.index({ organizationId: 1, teamId: 1, deletedAt: 1, createdAt: 1, _id: 1 }, { name: 'players_of_team' });
playerSchema.index(...idempotencyIndex);
