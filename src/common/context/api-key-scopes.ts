/** What a key can be allowed to do; `<resource>:*` is all of a resource. */
export const apiKeyScopes = [
  'seasons:read',
  'teams:read',
  'teams:write',
  'players:read',
  'players:write',
  'players:*',
  'schedules:read',
  'schedules:write',
  'schedules:*',
  'statistics:read',
] as const;

export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** What a route can demand: one resource, to be read or written. */
export type RequiredScope = Exclude<ApiKeyScope, `${string}:*`>;

/** True where scopes allow what is required; without any, everything is allowed. */
export function allows(scopes: readonly ApiKeyScope[] | undefined, required: RequiredScope): boolean {
  if (scopes === undefined) return true;
  const [resource] = required.split(':');
  return scopes.some((scope) => scope === required || scope === `${resource}:*`);
}
