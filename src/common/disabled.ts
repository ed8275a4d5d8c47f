/** True for an organization or a user that was disabled: `disabledAt` is set, and not to null. */
export function isDisabled({ disabledAt }: { readonly disabledAt?: Date | null }): boolean {
  return disabledAt !== undefined && disabledAt !== null;
}
