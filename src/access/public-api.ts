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
] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** The scopes that a route can require. */
export type RequiredScope = Exclude<ApiKeyScope, `${string}:*`>;

/** Returns a pattern that finds an API key in a text: the prefix, then ID, secret and checksum. */
export function apiKeyPattern(liveKeyPrefix: string): RegExp {
  return new RegExp(`${liveKeyPrefix}[0-9A-Za-z]{50}`);
}
