import { Button, Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listUsageOutcomesQuery } from '../api/generated/@tanstack/react-query.gen';
import { getOrganizationUsage, listUsageOutcomes } from '../api/generated/sdk.gen';
import type { UsageOutcomeResponse } from '../api/generated/types.gen';
import { CsvButton, type CsvColumn, maxCsvRows } from '../components/csv';
import { FilterSelect } from '../components/filter-select';
import { type Column, pageSize, type Paging, QueryList } from '../components/list';
import { formatNumber } from '../components/number';
import { Time } from '../components/time';
import { type EmptyText, LinkAnchor } from '../components/ui';
import { notCounted, noUsage, periodOf } from '../components/usage-bars';
import type { ListSearch } from '../search';
import { adviceOf } from './error-advice';

export type OutcomeFilters = Pick<ListSearch, 'hours' | 'outcome' | 'apiKeyId'>;

interface OutcomesProps extends Paging {
  path: { organizationId: string };
  hours: number;
  filters: OutcomeFilters;
  change: (filters: OutcomeFilters) => void;
}

/** Downloads the outcomes of all requests of a period, whatever the list below shows. */
export function UsageCsv({ path, hours }: Pick<OutcomesProps, 'path' | 'hours'>) {
  const read = async () => {
    const [first] = (await getOrganizationUsage({ path, query: { hours } })).data;
    const period = { from: first?.hour, to: new Date().toISOString() };
    const rows = [];
    for (let page = 1, total = 1; rows.length < Math.min(total, maxCsvRows); page++) {
      const found = await listUsageOutcomes({ path, query: { hours, page, limit: 100 } });
      // Outcomes can move to an earlier page meanwhile.
      if (found.data.length === 0) break;
      rows.push(...found.data.map((row) => ({ ...row, ...period })));
      total = found.total;
    }
    return rows;
  };
  return <CsvButton name={`usage-${path.organizationId}`} columns={csvColumns} read={read} />;
}

/** The outcomes of an organization's requests, with filters. */
export function Outcomes({ path, hours, filters: { outcome, apiKeyId }, change, page, onPage }: OutcomesProps) {
  const filter = { hours, apiKeyId, isError: outcome === 'all' ? undefined : true } as const;
  return (
    <>
      <Group align="flex-end">
        <FilterSelect
          label="Filter"
          all="Failed requests"
          labels={{ all: 'All requests' }}
          value={outcome}
          onChange={(chosen) => change({ outcome: chosen })}
        />
        {apiKeyId !== undefined && (
          <Button variant="default" onClick={() => change({ apiKeyId: undefined })}>
            Show all keys
          </Button>
        )}
      </Group>
      <OutcomeList organizationId={path.organizationId} filter={filter} page={page} onPage={onPage} />
    </>
  );
}

interface OutcomeListProps extends Paging {
  organizationId: string;
  filter: { hours: number; apiKeyId: string | undefined; isError: true | undefined };
  /** Whether all are of one key, which then needs no column. */
  isOfKey?: boolean;
  /** What to show without outcomes, instead of the default. */
  empty?: EmptyText | undefined;
}

/** The outcomes that match, the most frequent first, with what to do about errors. */
export function OutcomeList({ organizationId, filter, isOfKey = false, empty, page, onPage }: OutcomeListProps) {
  const query = { ...filter, page, limit: pageSize };
  const list = useQuery(listUsageOutcomesQuery({ path: { organizationId }, query }));
  const period = periodOf(filter.hours);
  return (
    <QueryList
      label="Outcomes of requests"
      query={list}
      columns={columnsOf(organizationId).filter(([header]) => !isOfKey || header !== 'Key')}
      rowKey={(row) => `${row.apiKey?.id} ${row.operation} ${row.status} ${row.errorCode}`}
      page={page}
      onPage={onPage}
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
    ({ status, errorCode, message, detail }) => (
      <>
        <strong>{errorCode === undefined ? status : `${status} · ${errorCode}`}</strong>{' '}
        {message ?? (status < 400 && 'Succeeded')}
        {detail !== undefined && <Code className="break">{detail}</Code>}
      </>
    ),
  ],
  [
    'Key',
    ({ apiKey }) =>
      apiKey === undefined ? (
        <LinkAnchor inherit to="/audit" search={{ organizationId }}>
          Audit log
        </LinkAnchor>
      ) : (
        <LinkAnchor
          inherit
          className="break"
          to="/keys/$keyId"
          params={{ keyId: apiKey.id }}
          title={`${apiKey.keyPrefix}…`}
        >
          {apiKey.name}
        </LinkAnchor>
      ),
  ],
  ['Operation', ({ operation }) => <span className="break">{operation ?? 'Several'}</span>],
  ['Latest hour', ({ lastHour }) => <Time value={lastHour} />, 'nowrap'],
  ['What to do', (row) => (row.status < 400 ? '–' : adviceOf(row))],
];

const csvColumns: CsvColumn<UsageOutcomeResponse & { from: string | undefined; to: string }>[] = [
  ['Key', ({ apiKey }) => apiKey?.name],
  ['Key prefix', ({ apiKey }) => apiKey?.keyPrefix],
  ['Operation', ({ operation }) => operation],
  ['Status', ({ status }) => status],
  ['Error code', ({ errorCode }) => errorCode],
  ['Message', ({ message }) => message],
  ['Detail', ({ detail }) => detail],
  ['Requests', ({ requests }) => requests],
  ['From', ({ from }) => from],
  ['To', ({ to }) => to],
  ['Latest hour', ({ lastHour }) => lastHour],
];
