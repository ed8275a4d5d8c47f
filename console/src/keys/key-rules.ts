import { type ApiKeyResponse, ApiKeyScope, type ListApiKeysData } from '../api/generated/types.gen';

/** The filters of a list of keys. `expiring` and `unused` list active keys that need attention. */
export const keyFilterLabels = {
  active: 'Active',
  expiring: 'Expires within 30 days',
  unused: 'Unused for 90 days',
  expired: 'Expired',
  revoked: 'Revoked',
};

export type KeyFilter = keyof typeof keyFilterLabels;

export const keyFilters = Object.keys(keyFilterLabels) as KeyFilter[];

const dayMs = 86_400_000;
const expiringMs = 30 * dayMs;
const unusedMs = 90 * dayMs;

/** Returns a time relative to the current hour, so that the key of a query stays the same for an hour. */
const fromNow = (ms: number): string => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 + ms).toISOString();

export function queryOf(filter: KeyFilter | undefined): NonNullable<ListApiKeysData['query']> {
  if (filter === undefined) return {};
  if (filter !== 'expiring' && filter !== 'unused') return { status: filter };
  const time = filter === 'expiring' ? { expiresBefore: fromNow(expiringMs) } : { unusedSince: fromNow(-unusedMs) };
  return { status: 'active', organizationDisabled: false, ...time };
}

/** Returns whether a key works, apart from its scopes and addresses. Only such keys need attention. */
export const isWorking = ({ status, organizationDisabled }: ApiKeyResponse): boolean =>
  status === 'active' && !organizationDisabled;

/** Returns why all requests with a key are rejected, if they are. */
export function rejectionOf({ status, organizationDisabled }: ApiKeyResponse): string | undefined {
  if (organizationDisabled) return 'The organization or its creator is disabled.';
  return status === 'active' ? undefined : `The key is ${status}.`;
}

export const isExpiring = (apiKey: ApiKeyResponse): boolean =>
  isWorking(apiKey) && apiKey.expiresAt !== undefined && Date.parse(apiKey.expiresAt) < Date.now() + expiringMs;

/** Returns whether an active key was neither used nor created in the last 90 days. */
export const isUnused = (apiKey: ApiKeyResponse): boolean =>
  isWorking(apiKey) && Date.parse(apiKey.lastUsedAt ?? apiKey.createdAt) < Date.now() - unusedMs;

const allScopes = Object.values(ApiKeyScope);

/** The scopes by resource, such as `players`. */
export const scopeGroups = Map.groupBy(allScopes, (scope) => scope.replace(/:.*/, ''));

const resourceLabels: Readonly<Record<string, string>> = {
  schedules: 'Schedules and standings',
  statistics: 'Player statistics',
  changes: 'Change feed',
  webhooks: 'Webhook endpoints',
};

/** Returns the name of a resource in forms and lists, such as "Teams". */
export const resourceLabel = (resource: string): string =>
  resourceLabels[resource] ?? resource.charAt(0).toUpperCase() + resource.slice(1);

/** Returns what a scope allows, in a word. */
export function actionLabel(scope: ApiKeyScope): string {
  if (scope === 'sandbox:write') return 'Reset';
  if (scope.endsWith(':read')) return 'Read';
  return scope.endsWith(':write') ? 'Write' : 'All';
}

/** Returns scopes in words by resource, such as "Teams" and "read, write". */
export const scopesInWords = (scopes: readonly ApiKeyScope[]): (readonly [resource: string, actions: string])[] =>
  [...scopeGroups].flatMap(([resource, group]) => {
    const chosen = group.filter((scope) => scopes.includes(scope) && !isIncluded(scope, scopes));
    const actions = chosen.map((scope) => actionLabel(scope).toLowerCase()).join(', ');
    return chosen.length === 0 ? [] : [[resourceLabel(resource), actions] as const];
  });

export const readScopes = allScopes.filter((scope) => scope.endsWith(':read'));

export const accessLabels = { everything: 'Full access', read: 'Read-only', custom: 'Custom' };

export type Access = keyof typeof accessLabels;

/** Returns the preset that a key's scopes are equal to. */
export function accessOf(keyScopes: readonly ApiKeyScope[] | undefined): Access {
  if (keyScopes === undefined) return 'everything';
  const isReadOnly = keyScopes.length === readScopes.length && readScopes.every((scope) => keyScopes.includes(scope));
  return isReadOnly ? 'read' : 'custom';
}

/** Returns whether a scope is part of another chosen one: `players:*` includes `players:read`. */
export function isIncluded(scope: ApiKeyScope, chosen: readonly string[]): boolean {
  const all = scope.replace(/:.*/, ':*');
  return scope !== all && chosen.includes(all);
}
