import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type AdminRole, adminRoles } from '../../access/request-context.js';
import { ChoiceField, DateField, EmailField, RecordIdField, TextField } from '../../validation/fields.js';
import { CreatedAtField, type RecordId, storage } from '../../database/record.js';

/** The fields that identify a user in other resources. */
export class UserName {
  @RecordIdField({ description: "The user's ID.", example: '6650f1f77bcf86cd79943901', required: true })
  _id!: RecordId;

  @TextField({ description: "The user's name.", max: 120, example: 'Dana Reyes', required: true })
  name!: string;

  @EmailField({
    description: 'The email address that the user logs in with. Letter case is ignored.',
    lowerCase: true,
    example: 'dana.reyes@example.com',
    response: { description: "The user's email address, in lower case." },
    required: true,
  })
  email!: string;
}

/** A user of the admin API. */
export class User extends UserName {
  @ChoiceField({
    description: "The user's role.",
    enumName: 'AdminRole',
    choices: adminRoles,
    example: 'organizationAdmin',
    required: true,
  })
  role!: AdminRole;

  @RecordIdField({
    description: 'The organization of a creator or an admin. Omitted for super admins.',
    example: '6650f1f77bcf86cd79943911',
  })
  organizationId?: RecordId | undefined;

  @DateField({
    description: 'When the user was disabled. Omitted while the user is enabled.',
    example: '2027-05-01T10:00:00Z',
  })
  disabledAt?: Date;

  @CreatedAtField()
  createdAt!: Date;
}

/** The lifetime of a token, and so of the session that its login began. */
export const tokenLifetimeSeconds = 3_600;

/** A network from which a user logged in. */
export interface RecentLogin {
  /** As returned by `addressGroup`: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  readonly at: Date;
}

/** A second factor: time-based one-time passwords (RFC 6238) of an app. */
export interface SecondFactor {
  /** The encrypted secret that the app shares. */
  readonly secret: string;
  /** The ID of the key that encrypted it. */
  readonly keyId: string;
  /** Undefined until the user has sent a first code. */
  readonly confirmedAt?: Date;
  /** The time step of the last used code. Codes of this and of earlier steps are rejected. */
  readonly lastStep: number;
  /** Hashes of the unused recovery codes. */
  readonly recoveryCodes: readonly string[];
}

/** A token with which a user can set a password once, without the current one. */
interface PasswordReset {
  /** SHA-256 of the token. */
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** What is read of a user for a list. */
export interface ListedUser extends User {
  secondFactor?: Pick<SecondFactor, 'confirmedAt'>;
}

@Schema({ collection: 'users', ...storage })
export class UserRecord extends User {
  /** argon2id, as a PHC string. */
  @Prop({ type: String }) passwordHash!: string;
  /** Tokens of earlier generations are rejected. */
  @Prop({ type: Number }) tokenGeneration!: number;
  /** Sessions that ended while their tokens had not expired. */
  @Prop({ type: 'Mixed' }) endedSessions?: { id: string; at: Date }[];
  /** Networks of recent logins, newest first. A new login does not change `updatedAt`. */
  @Prop({ type: 'Mixed' }) recentLogins?: RecentLogin[];
  @Prop({ type: 'Mixed' }) secondFactor?: SecondFactor;
  @Prop({ type: 'Mixed' }) passwordReset?: PasswordReset;
  @Prop({ type: Date }) updatedAt!: Date;
}

export const userSchema = SchemaFactory.createForClass(UserRecord);

// Serves the login, and keeps emails unique.
userSchema.index({ email: 1 }, { name: 'one_user_per_email', unique: true });
// Serves the list of the users with a role in order of creation, and the look-up of the first super admin at start.
userSchema.index({ role: 1, createdAt: 1, _id: 1 }, { name: 'users_by_role_and_creation' });
// Serves the list and the search of all users in order of creation.
userSchema.index({ createdAt: 1, _id: 1 }, { name: 'users_by_creation' });
// Serves the search at start for second factors that another key encrypted.
userSchema.index(
  { 'secondFactor.keyId': 1 },
  { name: 'users_by_second_factor_key', partialFilterExpression: { 'secondFactor.keyId': { $exists: true } } },
);
// Serves the networks of recent logins, which each server reads once a second while strangers send requests.
userSchema.index({ 'recentLogins.at': 1 }, { name: 'users_by_recent_login' });
// Serves the look-up of the user who sets a password with a token.
userSchema.index(
  { 'passwordReset.tokenHash': 1 },
  {
    name: 'users_by_password_reset',
    partialFilterExpression: { 'passwordReset.tokenHash': { $exists: true } },
  },
);
// Serves the list of an organization's users in order of creation.
userSchema.index({ organizationId: 1, createdAt: 1, _id: 1 }, { name: 'users_of_organization' });
