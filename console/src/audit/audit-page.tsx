import { Button, Center } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../api/client';
import { listAuditEvents } from '../api/generated/sdk.gen';
import type { AuditEventResponse, ListAuditEventsData } from '../api/generated/types.gen';
import { Empty } from '../components/empty';
import { Failure } from '../components/failure';
import { DataTable, Loading, pageSize } from '../components/list';
import { Page } from '../components/page';
import { texts } from '../texts';
import { auditColumns } from './audit-columns';
import { AuditDrawer } from './audit-drawer';
import { AuditFilters } from './audit-filters';

const route = getRouteApi('/audit');

function useAuditEvents(filters: ListAuditEventsData['query']) {
  return useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, limit: pageSize, ...(pageParam && { cursor: pageParam }) };
      return send(listAuditEvents({ query, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
}

export function AuditPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const [shown, setShown] = useState<AuditEventResponse>();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useAuditEvents(filters);
  const events = data?.pages.flatMap((page) => page.data);
  return (
    <Page title={texts.audit.title} description={texts.audit.description}>
      <AuditFilters
        // A key, so that the inputs follow links to this page.
        key={Object.values(filters).join()}
        filters={filters}
        onChange={(search) => void navigate({ search })}
      />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!events && !error && <Loading />}
      {events?.length === 0 && <Empty title={texts.audit.none} hint={texts.audit.noneHint} />}
      {events && events.length > 0 && (
        <DataTable
          label={texts.audit.list}
          columns={auditColumns(setShown, (actorId) => void navigate({ search: { ...filters, actorId } }))}
          rows={events}
          rowKey={({ _id }) => _id}
        />
      )}
      {hasNextPage && (
        <Center>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {texts.audit.more}
          </Button>
        </Center>
      )}
      {shown && <AuditDrawer event={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}
