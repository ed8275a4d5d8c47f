import type { Schema } from 'mongoose';
import { type AdminRole, adminRoles } from '../../common/context/request-context.js';
import { recordSchema, type RecordId, type StoredRecord, storedFields } from '../../database/record.js';
import type { RecentLogin } from './recent-logins.js';

/** A person who logs in to the admin backend. */
export interface UserRecord extends StoredRecord {
  name: string;
  /** In lower case. */
  email: string;
  /** argon2id, as a PHC string. */
  passwordHash: string;
  role: AdminRole;
  /** The organization of a creator or an admin; a super admin has none. */
  organizationId?: RecordId;
  /** Set: may not log in, and the keys of an organization that this user created are dead. */
  disabledAt?: Date | null;
  /** Which of the user's tokens are good: see `tokenGenerationOf`. */
  tokenGeneration?: number;
  /** Where the user logged in lately, newest first: see `isFamiliarNetwork`. Not a change of the user, and never in a response. */
  recentLogins?: RecentLogin[];
}

export const userModel = 'User';

export const userSchema: Schema<UserRecord> = recordSchema<UserRecord>('users', {
  ...storedFields,
  name: { type: String, required: true },
  email: { type: String, required: true },
  passwordHash: { type: String, required: true },
  role: { type: String, required: true, enum: adminRoles },
  organizationId: { type: 'ObjectId' },
  disabledAt: { type: Date },
  tokenGeneration: { type: Number },
  recentLogins: { type: [{ _id: false, network: String, at: Date }], default: undefined },
});

// Serves the login, and keeps an address to one user.
userSchema.index({ email: 1 }, { name: 'one_user_per_email', unique: true });
// Serves the look-up of the first super admin at start.
userSchema.index({ role: 1, _id: 1 }, { name: 'users_by_role' });
// Serves the list of an organization's users in order of creation.
userSchema.index({ organizationId: 1, createdAt: 1, _id: 1 }, { name: 'users_of_organization' });

/** The part of a user that says which tokens are good. */
interface TokenHolder {
  readonly tokenGeneration?: number;
}

/** The generation of a user's tokens; those of another one are refused. */
export function tokenGenerationOf({ tokenGeneration = 0 }: TokenHolder): number {
  return tokenGeneration;
}

/** The field to store with a change after which all tokens of before are dead for good. */
export function endingTokens(user: TokenHolder): { readonly tokenGeneration: number } {
  return { tokenGeneration: tokenGenerationOf(user) + 1 };
}
