import { AuditAction, type ListAuditEventsData, ScheduleStatus } from './api/generated/types.gen';
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

export interface SeasonSearch {
  page?: number;
  status?: ScheduleStatus;
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

/** Reads the page and the filter of a season's games from the URL; anything invalid is left out. */
export const seasonSearch = ({ page, status }: Search): SeasonSearch => ({
  page: pageNumber(page),
  status: oneOf(Object.values(ScheduleStatus), status),
});

/** Reads the filters of the audit log from the URL; anything invalid is left out. */
export const auditSearch = ({ organizationId, actorId, action, from, to }: Search): AuditSearch => ({
  organizationId: text(organizationId),
  actorId: text(actorId),
  action: oneOf(Object.values(AuditAction), action),
  from: fromInput(text(from)),
  to: fromInput(text(to)),
});
