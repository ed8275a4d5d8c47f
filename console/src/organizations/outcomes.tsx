import { Button, Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listUsageOutcomesQuery } from '../api/generated/@tanstack/react-query.gen';
import { getOrganizationUsage, listUsageOutcomes } from '../api/generated/sdk.gen';
import type { UsageOutcomeResponse } from '../api/generated/types.gen';
import { routes } from '../api/public/generated/routes.gen';
import { CsvButton, type CsvColumn } from '../components/csv';
import { FilterSelect } from '../components/filters';
import { type Column, pageSize, QueryList } from '../components/list';
import { formatNumber } from '../components/number';
import { RecordLink } from '../components/record-link';
import { Time } from '../components/time';
import { type EmptyText, LinkAnchor } from '../components/ui';
import { notCounted, noUsage, periodOf } from '../components/usage-bars';
import { useFilters } from '../search';
import { adviceOf, rejectionLabels } from './error-advice';

/** Returns the method and path of an operation, or its ID if this console does not know it because it is older than the server. */
const routeOf = (operation: string | undefined): string | undefined =>
  (routes as Readonly<Record<string, string>>)[operation ?? ''] ?? operation;

interface OutcomesProps {
  path: { organizationId: string };
  hours: number;
}

/** Downloads the outcomes of all requests of a period, whatever the list below shows. */
export function UsageCsv({ path, hours }: OutcomesProps) {
  async function* read() {
    const [first] = (await getOrganizationUsage({ path, query: { hours } })).data;
    const period = { from: first?.hour, to: new Date().toISOString() };
    // The last page is empty or short; outcomes can move to an earlier page meanwhile.
    for (let page = 1, hasMore = true; hasMore; page++) {
      const { data } = await listUsageOutcomes({ path, query: { hours, page, limit: 100 } });
      yield* data.map((row) => ({ ...row, ...period }));
      hasMore = data.length === 100;
    }
  }
  return <CsvButton name={`usage-${path.organizationId}`} columns={csvColumns} read={read} />;
}

/** The outcomes of an organization's requests, with filters. */
export function Outcomes({ path, hours }: OutcomesProps) {
  const { filters, change } = useFilters();
  const { outcome, apiKeyId, page } = filters;
  const filter = { hours, apiKeyId, isError: outcome === 'all' ? undefined : true, page } as const;
  return (
    <>
      <Group align="flex-end">
        <FilterSelect name="outcome" label="Filter" all="Failed requests" labels={{ all: 'All requests' }} />
        {apiKeyId !== undefined && (
          <Button variant="default" onClick={() => change({ apiKeyId: undefined })}>
            Show all keys
          </Button>
        )}
      </Group>
      <OutcomeList organizationId={path.organizationId} filter={filter} />
    </>
  );
}

interface OutcomeListProps {
  organizationId: string;
  filter: { hours: number; apiKeyId: string | undefined; isError: true | undefined; page?: number | undefined };
  /** Whether they are part of the page of their key, without a column for it and without paging. */
  isOfKey?: boolean;
  /** What to show without outcomes, instead of the default. */
  empty?: EmptyText | undefined;
}

/** The outcomes that match, the most frequent first, with what to do about errors. */
export function OutcomeList({ organizationId, filter, isOfKey = false, empty }: OutcomeListProps) {
  const query = { ...filter, limit: pageSize };
  const list = useQuery(listUsageOutcomesQuery({ path: { organizationId }, query }));
  const period = periodOf(filter.hours);
  return (
    <QueryList
      label="Outcomes of requests"
      query={list}
      columns={columnsOf(organizationId).filter(([header]) => !isOfKey || header !== 'Key')}
      rowKey={(row) => `${row.apiKey?.id} ${row.operation} ${row.status} ${row.errorCode}`}
      isPaged={!isOfKey}
      empty={
        empty ??
        (filter.isError
          ? ['No failed requests', `No request failed in ${period}. ${notCounted}`]
          : noUsage(filter.hours))
      }
    />
  );
}

const columnsOf = (organizationId: string): Column<UsageOutcomeResponse>[] => [
  ['Requests', ({ requests }) => `${formatNumber(requests)} ×`, 'nowrap'],
  [
    'Result',
    ({ status, errorCode, message, detail, rejection }) => (
      <>
        <strong>{errorCode === undefined ? status : `${status} · ${errorCode}`}</strong>{' '}
        {message ?? (status < 400 && 'Succeeded')} {rejection && `${rejectionLabels[rejection]}, last from `}
        {detail !== undefined && <Code className="break">{detail}</Code>}
      </>
    ),
  ],
  [
    'Key',
    ({ apiKey }) =>
      apiKey === undefined ? (
        <LinkAnchor to="/audit" search={{ organizationId }}>
          Audit log
        </LinkAnchor>
      ) : (
        <RecordLink
          kind="apiKey"
          id={apiKey.id}
          organizationId={organizationId}
          name={apiKey.name}
          title={`${apiKey.keyPrefix}…`}
        />
      ),
  ],
  [
    'Route',
    ({ operation, rejection }) => (
      <span className="break">{routeOf(operation) ?? (rejection ? 'Any' : 'Several')}</span>
    ),
  ],
  ['Latest hour', ({ lastHour }) => <Time value={lastHour} />, 'nowrap'],
  [
    'What to do',
    ({ apiKey, status, errorCode: error, rejection }) =>
      status < 400 ? (
        '–'
      ) : (
        <>
          {adviceOf({ status, errorCode: error, rejection })}
          <LinkAnchor display="block" to="/failed-requests" search={{ organizationId, apiKeyId: apiKey?.id, error }}>
            Show requests
          </LinkAnchor>
        </>
      ),
  ],
];

const csvColumns: CsvColumn<UsageOutcomeResponse & { from: string | undefined; to: string }>[] = [
  ['Key', ({ apiKey }) => apiKey?.name],
  ['Key prefix', ({ apiKey }) => apiKey?.keyPrefix],
  ['Route', ({ operation }) => routeOf(operation)],
  ['Status', ({ status }) => status],
  ['Error code', ({ errorCode }) => errorCode],
  ['Message', ({ message }) => message],
  ['Detail', ({ detail }) => detail],
  ['Requests', ({ requests }) => requests],
  ['From', ({ from }) => from],
  ['To', ({ to }) => to],
  ['Latest hour', ({ lastHour }) => lastHour],
  ['Rejection', ({ rejection }) => rejection],
];
