import { hash, randomBytes } from 'node:crypto';
import { changesOf } from '../../database/record.js';
import { ServiceError } from '../../errors/service-error.js';
import type { ListedUser, User, UserRecord } from './user.schema.js';

/** The fields that organizations and users share. */
type Account = Pick<User, 'name' | 'disabledAt'>;

/** What an admin can change of both; either may have more fields. An omitted field keeps its value. */
export interface AccountChanges {
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
}

/** Returns the update of an account, and the fields that it changes, or undefined for none. */
export function accountUpdate(account: Account, requested: AccountChanges, now: Date) {
  const changes = changesOf(accountOf(account), requested);
  if (Object.keys(changes).length === 0) return undefined;
  const { disabled, ...fields } = changes;
  const disabledAt = disabled === undefined ? undefined : disabled === true ? now : null;
  return { stored: { ...fields, disabledAt, updatedAt: now }, changes };
}

/** Returns an account with the field by which admins disable it. */
export const accountOf = (account: Account) => ({ ...account, disabled: isDisabled(account) });

export function isDisabled({ disabledAt }: { readonly disabledAt?: Date | null | undefined }): boolean {
  return disabledAt !== undefined && disabledAt !== null;
}

type Disableable = Parameters<typeof isDisabled>[0];

/** Returns whether an organization is out of service: it or its creator is disabled or missing. */
export function isOutOfService(organization?: Disableable, creator?: Disableable): boolean {
  return !organization || !creator || isDisabled(organization) || isDisabled(creator);
}

/** Returns whether logins of the user need a code. */
export function hasSecondFactor({ secondFactor }: Pick<ListedUser, 'secondFactor'>): boolean {
  return secondFactor?.confirmedAt !== undefined;
}

/** Rejects a change by a user whose tokens have ended since they were verified. */
export function assertSameGeneration(current: UserRecord, verified: UserRecord): void {
  if (current.tokenGeneration === verified.tokenGeneration) return;
  throw new ServiceError('invalidLogin', { message: 'Your account was changed by another request; log in again' });
}

const dayMilliseconds = 86_400_000;

/** Creates a token with which a password can be set for a day, and what is stored of it. */
export function createResetToken(now: Date) {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now.getTime() + dayMilliseconds);
  return { response: { token, expiresAt }, passwordReset: { tokenHash: hashResetToken(token), expiresAt } };
}

/** Returns the hash to store of a token. A fast one is enough, because tokens are random. */
export function hashResetToken(token: string): string {
  return hash('sha256', token, 'base64');
}

/** Returns whether a user can set a password with a token now. */
export function acceptsResetToken(user: UserRecord, token: string, now: Date): boolean {
  const { tokenHash, expiresAt = now } = user.passwordReset ?? {};
  return tokenHash === hashResetToken(token) && expiresAt > now && !isDisabled(user);
}

/** The number of networks stored for each user. */
export const maxRecentLogins = 20;

/** Returns whether the user logged in from the network within the last 30 days. */
export function isKnownNetwork({ recentLogins = [] }: Pick<UserRecord, 'recentLogins'>, network: string, now: Date) {
  const since = recentLoginsStart(now);
  return recentLogins.some((login) => login.network === network && login.at >= since);
}

/** Returns the time before which logins no longer count. */
export function recentLoginsStart(now: Date): Date {
  return new Date(now.getTime() - 30 * dayMilliseconds);
}
