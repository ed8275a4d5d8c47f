/** A network from which a user logged in. */
export interface RecentLogin {
  /** As `addressGroup` names it: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  readonly at: Date;
}

/** How many networks of one user are stored. */
export const mostRecentLogins = 20;

const dayMilliseconds = 86_400_000;

interface Account {
  readonly recentLogins?: readonly RecentLogin[];
}

/** Returns true if the user logged in from the network within the last 30 days. */
export function isFamiliarNetwork(user: Account, network: string, now: Date): boolean {
  return hasLoginSince(user, network, oldestRecentLogin(now));
}

/** Returns true if the login is to be stored: the last stored one from this network is missing or older than a day. */
export function isLoginToStore(user: Account, network: string, now: Date): boolean {
  // A connection that is gone has no address any more.
  return network !== '' && !hasLoginSince(user, network, new Date(now.getTime() - dayMilliseconds));
}

/** Returns the time before which logins no longer count. */
export function oldestRecentLogin(now: Date): Date {
  return new Date(now.getTime() - 30 * dayMilliseconds);
}

function hasLoginSince({ recentLogins = [] }: Account, network: string, since: Date): boolean {
  return recentLogins.some((login) => login.network === network && login.at >= since);
}
