import type { FieldChanges } from '../../database/record.js';

/** What an organization and a user have in common as accounts. */
interface Account {
  readonly name: string;
  readonly disabledAt?: Date | null;
}

/** What an admin may change of an account; a field that is not named keeps its value. */
export interface AccountFields {
  readonly name?: string;
  readonly disabled?: boolean;
}

/** A change of an account that has an effect. */
export interface AccountUpdate {
  readonly stored: FieldChanges<Account & { readonly updatedAt: Date }>;
  /** The fields that get another value, with that value: for the audit. */
  readonly told: AccountFields;
}

/**
 * What becomes of an account by a change, or undefined where it has all the values already: who is disabled stays
 * disabled since the first time.
 */
export function accountUpdate(account: Account, fields: AccountFields, now: Date): AccountUpdate | undefined {
  const { name, disabled } = fields;
  const renamed = name !== undefined && name !== account.name;
  const switched = disabled !== undefined && disabled !== isDisabled(account);
  if (!renamed && !switched) return undefined;
  return {
    stored: { ...(renamed && { name }), ...(switched && { disabledAt: disabled ? now : null }), updatedAt: now },
    told: { ...(renamed && { name }), ...(switched && { disabled }) },
  };
}

/** Whether an organization or a user is disabled. */
export function isDisabled({ disabledAt }: { readonly disabledAt?: Date | null }): boolean {
  return disabledAt !== undefined && disabledAt !== null;
}

/** The response fields that say whether an organization or a user is disabled, and since when. */
export function disabledFields(record: { readonly disabledAt?: Date | null }): {
  disabled: boolean;
  disabledAt?: string;
} {
  const { disabledAt } = record;
  return { disabled: isDisabled(record), ...(disabledAt && { disabledAt: disabledAt.toISOString() }) };
}
