import type { ApiKeyResponse, ListApiKeysData } from '../api/generated/types.gen';

/** Active keys are also listed by what needs attention. */
export const keyFilters = ['active', 'expiring', 'unused', 'expired', 'revoked'] as const;

export type KeyFilter = (typeof keyFilters)[number];

const dayMs = 86_400_000;
const expiringDays = 30;
const unusedDays = 90;

/** Returns a time relative to the current hour, so that a query keeps its key for an hour. */
function daysFromNow(days: number): string {
  const hourMs = 3_600_000;
  return new Date(Math.floor(Date.now() / hourMs) * hourMs + days * dayMs).toISOString();
}

/** Returns the query of a filter. */
export function queryOf(filter: KeyFilter | undefined): NonNullable<ListApiKeysData['query']> {
  if (filter === undefined) return {};
  if (filter === 'expiring') return { status: 'active', expiresBefore: daysFromNow(expiringDays) };
  if (filter === 'unused') return { status: 'active', unusedSince: daysFromNow(-unusedDays) };
  return { status: filter };
}

export function isExpiring({ status, expiresAt }: ApiKeyResponse): boolean {
  return status === 'active' && expiresAt !== undefined && Date.parse(expiresAt) < Date.now() + expiringDays * dayMs;
}

/** Returns whether an active key was neither used nor created in the last 90 days. */
export function isUnused({ status, lastUsedAt, createdAt }: ApiKeyResponse): boolean {
  return status === 'active' && Date.parse(lastUsedAt ?? createdAt) < Date.now() - unusedDays * dayMs;
}
