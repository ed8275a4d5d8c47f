import { useNavigate, useSearch } from '@tanstack/react-router';
import { AuditAction, DeliveryStatus, ScheduleStatus, WebhookEndpointStatus } from './api/generated/types.gen';
import { fromInput } from './components/time';
import { keyFilters } from './keys/key-rules';

export const organizationTabs = ['people', 'keys', 'seasons', 'data', 'webhooks', 'usage'] as const;

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const time = (value: unknown) => fromInput(text(value));
const oneOf =
  <const Value extends string | number>(values: readonly Value[]) =>
  (value: unknown) =>
    values.find((each) => String(each) === String(value));

function page(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 1 ? number : undefined;
}

/** Returns a function that reads parameters from the URL, and leaves out anything invalid. */
const reader =
  <Readers extends Record<string, (value: unknown) => unknown>>(readers: Readers) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(search[name])])) as {
      [Name in keyof Readers]?: ReturnType<Readers[Name]>;
    };

export const listSearch = reader({
  page,
  search: text,
  filter: oneOf(keyFilters),
  tab: oneOf(organizationTabs),
  /** The period of the usage, if it is not a day. */
  hours: oneOf([168]),
  outcome: oneOf(['all']),
  apiKeyId: text,
});

export const seasonSearch = reader({ page, status: oneOf(Object.values(ScheduleStatus)) });

export const webhooksSearch = reader({
  page,
  search: text,
  status: oneOf(Object.values(WebhookEndpointStatus)),
  organizationId: text,
});

export const endpointSearch = reader({ page, status: oneOf(Object.values(DeliveryStatus)) });

export const auditSearch = reader({
  organizationId: text,
  actorId: text,
  targetId: text,
  action: oneOf(Object.values(AuditAction)),
  from: time,
  to: time,
});

export const failedStatuses = [400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 500, 503] as const;

export const failedSearch = reader({
  /** The `traceId`. */
  search: text,
  organizationId: text,
  apiKeyId: text,
  status: oneOf(failedStatuses),
  error: (value) => (/^[45]\d{4}$/.test(String(value)) ? Number(value) : undefined),
});

export type ListSearch = ReturnType<typeof listSearch>;

/** Returns what the URL of the present page keeps, and functions that change it. */
export function useFilters() {
  const filters = useSearch({ strict: false });
  const navigate = useNavigate();
  /** Starts at the first page. Typing replaces the entry in the history. */
  const change = (changed: typeof filters) =>
    void navigate({
      to: '.',
      search: (present) => ({ ...present, page: undefined, ...changed }),
      replace: 'search' in changed,
    });
  const clear = () => void navigate({ to: '.', search: ({ tab }) => ({ tab }) });
  const isFiltered = Object.entries(filters).some(([name, value]) => !/^(page|tab)$/.test(name) && Boolean(value));
  return { filters, change, clear, isFiltered };
}
