/** A network from which a user logged in. */
export interface RecentLogin {
  /** As returned by `addressGroup`: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  readonly at: Date;
}

/** The number of networks stored for each user. */
export const maxRecentLogins = 20;

const dayMilliseconds = 86_400_000;

interface LoginHistory {
  readonly recentLogins?: readonly RecentLogin[];
}

/** Returns whether the user logged in from the network within the last 30 days. */
export function isKnownNetwork(user: LoginHistory, network: string, now: Date): boolean {
  return hasLoginSince(user, network, recentLoginsStart(now));
}

/** Returns whether to store a login: the last stored one from this network is missing or older than a day. */
export function shouldStoreLogin(user: LoginHistory, network: string, now: Date): boolean {
  // A closed connection has no address.
  return network !== '' && !hasLoginSince(user, network, new Date(now.getTime() - dayMilliseconds));
}

/** Returns the time before which logins no longer count. */
export function recentLoginsStart(now: Date): Date {
  return new Date(now.getTime() - 30 * dayMilliseconds);
}

function hasLoginSince({ recentLogins = [] }: LoginHistory, network: string, since: Date): boolean {
  return recentLogins.some((login) => login.network === network && login.at >= since);
}
