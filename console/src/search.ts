import { AuditAction, type ListAuditEventsData } from './api/generated/types.gen';
import { fromInput } from './components/time';
import { type KeyFilter, keyFilters } from './keys/key-rules';

type Search = Record<string, unknown>;

const organizationTabs = ['people', 'keys', 'seasons', 'webhooks', 'usage'] as const;

export interface ListSearch {
  page?: number;
  search?: string;
  filter?: KeyFilter;
  tab?: (typeof organizationTabs)[number];
}

export type AuditSearch = Omit<NonNullable<ListAuditEventsData['query']>, 'cursor' | 'limit'>;

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

/** Reads the filters of the audit log from the URL; anything invalid is left out. */
export const auditSearch = ({ organizationId, actorId, action, from, to }: Search): AuditSearch => ({
  organizationId: text(organizationId),
  actorId: text(actorId),
  action: oneOf(Object.values(AuditAction), action),
  from: fromInput(text(from)),
  to: fromInput(text(to)),
});
