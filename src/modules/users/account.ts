import type { FieldChanges } from '../../database/record.js';

/** The fields that organizations and users share. */
interface Account {
  readonly name: string;
  readonly disabledAt?: Date;
}

/** Changes that an admin requests of an account. An omitted field keeps its value. */
export interface AccountFields {
  readonly name?: string;
  readonly disabled?: boolean;
}

export interface AccountUpdate {
  readonly stored: FieldChanges<Account & { readonly updatedAt: Date }>;
  /** The new values of the fields that change, for the audit event. */
  readonly changes: { name?: string; disabled?: boolean };
}

/** Returns the update of an account, or undefined if nothing changes. Disabling it again keeps the first time. */
export function accountUpdate(account: Account, fields: AccountFields, now: Date): AccountUpdate | undefined {
  const { name, disabled } = fields;
  const isRenamed = name !== undefined && name !== account.name;
  const isSwitched = disabled !== undefined && disabled !== isDisabled(account);
  if (!isRenamed && !isSwitched) return undefined;
  return {
    stored: { ...(isRenamed && { name }), ...(isSwitched && { disabledAt: disabled ? now : null }), updatedAt: now },
    changes: { ...(isRenamed && { name }), ...(isSwitched && { disabled }) },
  };
}

/** Returns whether an organization or a user is disabled. */
export function isDisabled({ disabledAt }: { readonly disabledAt?: Date | null }): boolean {
  return disabledAt !== undefined && disabledAt !== null;
}
