import type { ListAuditEventsData } from './api/generated/types.gen';
import { type KeyFilter, keyFilters } from './keys/key-filters';
import { auditActions } from './audit/audit-actions';

type Search = Record<string, unknown>;

export const organizationTabs = ['people', 'keys', 'webhooks'] as const;

export interface ListSearch {
  page?: number | undefined;
  search?: string | undefined;
  filter?: KeyFilter | undefined;
  tab?: (typeof organizationTabs)[number] | undefined;
}

export type AuditSearch = Pick<
  NonNullable<ListAuditEventsData['query']>,
  'organizationId' | 'actorId' | 'action' | 'from' | 'to'
>;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value);

function pageNumber(value: unknown): number | undefined {
  const page = Number(value);
  return Number.isSafeInteger(page) && page > 1 ? page : undefined;
}

/** Reads what lists keep in the URL; anything invalid is left out. */
export const listSearch = ({ page, search, filter, tab }: Search): ListSearch => ({
  page: pageNumber(page),
  search: text(search),
  filter: oneOf(keyFilters, filter),
  tab: oneOf(organizationTabs, tab),
});

export const auditSearch = ({ organizationId, actorId, action, from, to }: Search): AuditSearch => ({
  organizationId: text(organizationId),
  actorId: text(actorId),
  action: oneOf(auditActions, action),
  from: text(from),
  to: text(to),
});

/** Reads and writes plain parameters. The router's default would read an ID of digits only as a number. */
export const parseSearch = (query: string): Search => Object.fromEntries(new URLSearchParams(query));

export function stringifySearch(search: Search): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}
