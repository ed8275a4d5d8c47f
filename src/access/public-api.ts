/** The path prefix of every public route, without the leading slash. */
export const publicPrefix = 'v1/public-api';

/** The rate limits of a key, each shared by the controllers with its name in `@IntegrationRoute`. */
export const rateLimitGroups = [
  'seasons',
  'teams',
  'players',
  'schedules',
  'player-statistics',
  'changes',
  'webhooks',
  'me',
  'sandbox',
] as const;
export type RateLimitGroup = (typeof rateLimitGroups)[number];

/** The scopes that an API key can have; `<resource>:*` includes reading and writing. */
export const apiKeyScopes = [
  'seasons:read',
  'seasons:write',
  'seasons:*',
  'teams:read',
  'teams:write',
  'players:read',
  'players:write',
  'players:*',
  'schedules:read',
  'schedules:write',
  'schedules:*',
  'statistics:read',
  'statistics:write',
  'changes:read',
  'webhooks:read',
  'webhooks:write',
  'webhooks:*',
  'sandbox:write',
] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

export type RequiredScope = Exclude<ApiKeyScope, `${string}:*`>;

/** The prefixes of the API keys of sandboxes and of all other organizations. Neither begins with the other. */
export interface KeyPrefixes {
  readonly liveKeyPrefix: string;
  readonly testKeyPrefix: string;
}

/** Returns a pattern that finds an API key in a text: the prefix, then ID, secret and checksum. */
export function apiKeyPattern({ liveKeyPrefix, testKeyPrefix }: KeyPrefixes): RegExp {
  return new RegExp(`(${liveKeyPrefix}|${testKeyPrefix})[0-9A-Za-z]{50}`);
}
