import type { Schema } from 'mongoose';
import {
  organizationFields,
  type OrganizationRecord,
  recordSchema,
  type RecordId,
  reference,
} from '../database/record.js';

/** An API key. Of the secret nothing is kept but its argon2id hash. */
export interface ApiKeyRecord extends OrganizationRecord {
  name: string;
  /** The live prefix with the key's id. */
  keyPrefix: string;
  secretHash: string;
  status: 'active' | 'revoked';
  createdBy: RecordId;
  expiresAt?: Date;
  revokedAt?: Date;
  rotatedAt?: Date;
  lastRotatedBy?: RecordId;
  lastUsedAt?: Date;
}

export const apiKeyModel = 'ApiKey';

export const apiKeySchema: Schema<ApiKeyRecord> = recordSchema<ApiKeyRecord>('apiKeys', {
  ...organizationFields,
  name: { type: String, required: true },
  keyPrefix: { type: String, required: true, immutable: true },
  secretHash: { type: String, required: true },
  status: { type: String, required: true, enum: ['active', 'revoked'] },
  createdBy: { ...reference, immutable: true },
  expiresAt: { type: Date },
  revokedAt: { type: Date },
  rotatedAt: { type: Date },
  lastRotatedBy: { type: 'ObjectId' },
  lastUsedAt: { type: Date },
});

// Serves the look-up of a presented key.
apiKeySchema.index({ keyPrefix: 1 }, { name: 'one_key_per_prefix', unique: true });
// Serves the list of an organization's keys in order of creation.
apiKeySchema.index({ organizationId: 1, createdAt: 1, _id: 1 }, { name: 'keys_of_organization' });
