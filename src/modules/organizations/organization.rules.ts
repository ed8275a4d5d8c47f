import { isDisabled } from '../users/user.rules.js';

type Account = Parameters<typeof isDisabled>[0];

/**
 * Returns whether an organization is out of service: it or its creator is disabled or missing. Then its keys, logins and
 * tokens are rejected, its webhooks wait and its calendars are not found, until it is in service again.
 */
export function isOutOfService(organization: Account | undefined, creator: Account | undefined): boolean {
  return !organization || !creator || isDisabled(organization) || isDisabled(creator);
}
