import type { ApiKeyScope } from '../api/generated/types.gen';

/** The scopes by resource, as the public API offers them. */
const scopesByResource = {
  seasons: ['seasons:read'],
  teams: ['teams:read', 'teams:write'],
  players: ['players:read', 'players:write', 'players:*'],
  schedules: ['schedules:read', 'schedules:write', 'schedules:*'],
  statistics: ['statistics:read'],
  changes: ['changes:read'],
  webhooks: ['webhooks:read', 'webhooks:write', 'webhooks:*'],
} as const satisfies Record<string, readonly ApiKeyScope[]>;

type KnownScope = (typeof scopesByResource)[keyof typeof scopesByResource][number];

/** Fails to compile if the API has a scope that is missing above. */
export const scopeGroups: readonly (readonly [
  string,
  readonly ([ApiKeyScope] extends [KnownScope] ? ApiKeyScope : never)[],
])[] = Object.entries(scopesByResource);

export const readScopes = scopeGroups.flatMap(([, scopes]) => scopes.filter((scope) => scope.endsWith(':read')));

export type Access = 'everything' | 'read' | 'custom';

/** Returns the preset that a key's scopes are equal to. */
export function accessOf(scopes: readonly ApiKeyScope[] | undefined): Access {
  if (scopes === undefined) return 'everything';
  const isReadOnly = scopes.length === readScopes.length && readScopes.every((scope) => scopes.includes(scope));
  return isReadOnly ? 'read' : 'custom';
}

/** Returns whether a scope is part of another chosen scope: `players:*` includes `players:read`. */
export function isIncluded(scope: ApiKeyScope, chosen: readonly string[]): boolean {
  const all = `${scope.split(':')[0] ?? ''}:*`;
  return scope !== all && chosen.includes(all);
}
