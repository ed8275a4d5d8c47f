import {
  AuditAction,
  DeliveryStatus,
  type ListAllWebhookEndpointsData,
  type ListAuditEventsData,
  ScheduleStatus,
  WebhookEndpointStatus,
} from './api/generated/types.gen';
import { fromInput } from './components/time';
import { type KeyFilter, keyFilters } from './keys/key-rules';

type Search = Record<string, unknown>;

const organizationTabs = ['people', 'keys', 'seasons', 'data', 'webhooks', 'usage'] as const;

export interface ListSearch {
  page?: number;
  search?: string;
  filter?: KeyFilter;
  tab?: (typeof organizationTabs)[number];
  /** The period of the usage, if it is not a day. */
  hours?: 168;
  outcome?: 'all';
  apiKeyId?: string;
}

export interface SeasonSearch {
  page?: number;
  status?: ScheduleStatus;
}

export type WebhooksSearch = Omit<NonNullable<ListAllWebhookEndpointsData['query']>, 'limit' | 'disabledReason'>;

export interface EndpointSearch {
  page?: number;
  status?: DeliveryStatus;
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
export const listSearch = ({ page, search, filter, tab, hours, outcome, apiKeyId }: Search): ListSearch => ({
  page: pageNumber(page),
  search: text(search),
  filter: oneOf(keyFilters, filter),
  tab: oneOf(organizationTabs, tab),
  hours: hours === '168' || hours === 168 ? 168 : undefined,
  outcome: outcome === 'all' ? outcome : undefined,
  apiKeyId: text(apiKeyId),
});

/** Reads the page and the filter of a season's games from the URL; anything invalid is left out. */
export const seasonSearch = ({ page, status }: Search): SeasonSearch => ({
  page: pageNumber(page),
  status: oneOf(Object.values(ScheduleStatus), status),
});

/** Reads the filters of the webhook endpoints from the URL; anything invalid is left out. */
export const webhooksSearch = ({ page, search, status, organizationId }: Search): WebhooksSearch => ({
  page: pageNumber(page),
  search: text(search),
  status: oneOf(Object.values(WebhookEndpointStatus), status),
  organizationId: text(organizationId),
});

/** Reads the page and the filter of deliveries from the URL; anything invalid is left out. */
export const endpointSearch = ({ page, status }: Search): EndpointSearch => ({
  page: pageNumber(page),
  status: oneOf(Object.values(DeliveryStatus), status),
});

/** Reads the filters of the audit log from the URL; anything invalid is left out. */
export const auditSearch = ({ organizationId, actorId, targetId, action, from, to }: Search): AuditSearch => ({
  organizationId: text(organizationId),
  actorId: text(actorId),
  targetId: text(targetId),
  action: oneOf(Object.values(AuditAction), action),
  from: fromInput(text(from)),
  to: fromInput(text(to)),
});
