import type { FieldChanges } from '../../database/record.js';

/** The fields that organizations and users share. */
interface Account {
  readonly name: string;
  readonly disabledAt?: Date;
}

/** Changes that an admin requests of an organization or a user. An omitted field keeps its value. */
export interface AccountChanges {
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
}

interface AccountUpdate {
  readonly stored: FieldChanges<Account & { readonly updatedAt: Date }>;
  /** The new values of the fields that change, for the audit event. */
  readonly changes: AccountChanges;
}

/** Returns the update of an account, or undefined if nothing changes. Disabling it again keeps the first time. */
export function accountUpdate(account: Account, requested: AccountChanges, now: Date): AccountUpdate | undefined {
  const name = requested.name === account.name ? undefined : requested.name;
  const disabled = requested.disabled === isDisabled(account) ? undefined : requested.disabled;
  if (name === undefined && disabled === undefined) return undefined;
  const disabledAt = disabled === undefined ? undefined : disabled ? now : null;
  return { stored: { name, disabledAt, updatedAt: now }, changes: { name, disabled } };
}

export function isDisabled({ disabledAt }: { readonly disabledAt?: Date | null }): boolean {
  return disabledAt !== undefined && disabledAt !== null;
}
