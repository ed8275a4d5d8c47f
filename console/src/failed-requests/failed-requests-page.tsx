import { Button, Code, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { listFailedRequests } from '../api/generated/sdk.gen';
import type { FailedRequestResponse } from '../api/generated/types.gen';
import { FilterSelect, SearchField } from '../components/filters';
import { type Column, LoadMore, QueryList } from '../components/list';
import { formatNumber } from '../components/number';
import { Page } from '../components/page';
import { RecordLink } from '../components/record-link';
import { Time } from '../components/time';
import { Note } from '../components/ui';
import { usePages } from '../components/use-pages';
import { adviceOf, rejectionLabels } from '../organizations/error-advice';
import { KeyFilter } from '../keys/key-filter';
import { OrganizationFilter, OrganizationLink } from '../organizations/organization-field';
import { failedStatuses, useFilters } from '../search';

const route = getRouteApi('/failed-requests');

const statusLabels = Object.fromEntries(failedStatuses.map((status) => [status, String(status)]));

const columns: Column<FailedRequestResponse>[] = [
  ['Time', ({ at }) => <Time value={at} as="second" />, 'nowrap'],
  [
    'Result',
    ({ status, error, message, reason, fields = [] }) => (
      <>
        <strong>{`${status} · ${error}`}</strong> {message}
        {reason && <Note>{`Key used ${rejectionLabels[reason]}`}</Note>}
        {fields.length > 0 && <Code className="break">{[...new Set(fields)].join(', ')}</Code>}
      </>
    ),
  ],
  [
    'Key',
    ({ apiKey: { id, name, keyPrefix }, organizationId, organizationName, isSandbox }) => (
      <>
        <RecordLink kind="apiKey" id={id} organizationId={organizationId} name={name} title={`${keyPrefix}…`} />
        <Note component="div">
          <OrganizationLink id={organizationId} name={organizationName} isSandbox={isSandbox} />
        </Note>
      </>
    ),
  ],
  [
    'Request',
    ({ method, route: path, address, durationMs, traceId }) => (
      <>
        <span className="break">{`${method} ${path.replace('/v1/public-api', '').replace(/:(\w+)/g, '{$1}')}`}</span>
        <Note>{`${address ?? 'Unknown address'}, ${formatNumber(durationMs)} ms`}</Note>
        <Code className="break">{traceId}</Code>
      </>
    ),
  ],
  ['What to do', ({ status, error: errorCode, reason }) => adviceOf({ status, errorCode, rejection: reason })],
];

/** Single requests that failed, found by the ID that a partner names, or by organization, key and status. */
export function FailedRequestsPage() {
  const { search: traceId, ...others } = route.useSearch();
  const { change } = useFilters();
  const filters = { ...others, traceId };
  const { query, more } = usePages(['failed-requests', filters], (page, signal) =>
    listFailedRequests({ query: { ...filters, ...page }, signal }),
  );
  return (
    <Page
      title="Failed requests"
      description="Requests of the last 7 days with a key that exists, newest first: at most 60 per minute, key and server. They appear within seconds."
    >
      <Group align="flex-end">
        <SearchField label="Search traceId (request ID)" maxLength={128} />
        <OrganizationFilter />
        <KeyFilter />
        <FilterSelect name="status" label="Status" all="All statuses" labels={statusLabels} />
        {filters.error !== undefined && (
          <Button variant="default" onClick={() => change({ error: undefined })}>
            {`Show other errors than ${filters.error}`}
          </Button>
        )}
      </Group>
      <QueryList
        label="Failed requests"
        query={query}
        columns={columns}
        rowKey={({ at, traceId: id, durationMs }) => `${at} ${id} ${durationMs}`}
        empty={['No failed requests', 'No request with an existing key failed in the last 7 days.']}
        noMatch={[
          'No matching failed request',
          'It may have succeeded, be older than 7 days, or have a key that does not exist.',
          'Clear search and filters',
        ]}
      />
      <LoadMore {...more} />
    </Page>
  );
}
