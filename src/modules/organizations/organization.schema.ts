import type { Schema } from 'mongoose';
import { recordSchema, type RecordId, reference, type StoredRecord, storedFields } from '../../database/record.js';

/** An organization: the owner of teams, players, schedules and keys. */
export interface OrganizationRecord extends StoredRecord {
  name: string;
  /** The user in whose name the organization's keys act. */
  creatorId: RecordId;
  /** Set: the organization's keys are dead, and its creator and admins may not log in. */
  disabledAt?: Date | null;
}

export const organizationModel = 'Organization';

export const organizationSchema: Schema<OrganizationRecord> = recordSchema<OrganizationRecord>('organizations', {
  ...storedFields,
  name: { type: String, required: true },
  creatorId: reference,
  disabledAt: { type: Date },
});

// Serves the list of organizations in order of creation.
organizationSchema.index({ createdAt: 1, _id: 1 }, { name: 'organizations_by_creation' });
