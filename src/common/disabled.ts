/** True for an organization or a user that was disabled: `disabledAt` is set, and not to null. */
export function isDisabled({ disabledAt }: { readonly disabledAt?: Date | null }): boolean {
  return disabledAt !== undefined && disabledAt !== null;
}

/** Whether an organization or a user is disabled, and since when, as it leaves. */
export function disabledFields(record: { readonly disabledAt?: Date | null }): {
  disabled: boolean;
  disabledAt?: string;
} {
  const { disabledAt } = record;
  return { disabled: isDisabled(record), ...(disabledAt && { disabledAt: disabledAt.toISOString() }) };
}
