import type { Schema } from 'mongoose';
import { type ApiKeyScope, apiKeyScopes } from '../../common/http/public-api.js';
import {
  adminCreator,
  organizationFields,
  type OrganizationRecord,
  recordSchema,
  type RecordId,
} from '../../database/record.js';

/** A secret that is good for a while after its rotation. */
export interface PreviousSecret {
  readonly secretHash: string;
  readonly secretTag?: string;
  readonly expiresAt: Date;
}

/** An API key. Of the secret nothing is kept but its argon2id hash. */
export interface ApiKeyRecord extends OrganizationRecord {
  name: string;
  /** The live prefix with the key's id. */
  keyPrefix: string;
  secretHash: string;
  /** Tells most wrong secrets without argon2: see `secretTagOf`. */
  secretTag?: string;
  /** The secret before the last rotation, which still works until the instant; left out where it was ended. */
  previous?: PreviousSecret | null;
  /** What the key may do; left out: everything. */
  scopes?: ApiKeyScope[];
  /** The networks that the key may be used from, addresses or CIDR; left out: from everywhere. */
  allowedAddresses?: string[];
  status: 'active' | 'revoked';
  /** The super admin; left out where an operator made the key at the command line. */
  createdBy?: RecordId;
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
  secretTag: { type: String },
  previous: { type: 'Mixed' },
  scopes: { type: [String], default: undefined, enum: apiKeyScopes },
  allowedAddresses: { type: [String], default: undefined },
  status: { type: String, required: true, enum: ['active', 'revoked'] },
  createdBy: adminCreator,
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
