import { Anchor, Button, Center } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listAuditEvents } from '../api/generated/sdk.gen';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { Status } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { AuditDrawer } from './audit-drawer';
import { AuditFilters } from './audit-filters';
import { actorLabels, labelOf, outcomeLabels } from './audit-labels';

const route = getRouteApi('/audit');

export function AuditPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const [event, setEvent] = useState<AuditEventResponse>();
  const { hasNextPage, fetchNextPage, isFetchingNextPage, ...query } = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam: cursor, signal }) =>
      listAuditEvents({ query: { ...filters, limit: pageSize, cursor: cursor || undefined }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => ({ data: pages.flatMap((page) => page.data) }),
  });
  const filterByActor = (actorId: string) => void navigate({ search: { ...filters, actorId } });
  return (
    <Page title="Audit log" description="Who changed what, newest first. Select an event to see its details.">
      <AuditFilters filters={filters} onChange={(search) => void navigate({ search })} />
      <QueryList
        label="Audit events"
        query={query}
        columns={columnsWith(setEvent, filterByActor)}
        rowKey={({ _id }) => _id}
        empty={['No events match', 'Choose a longer time range, or clear the filters.']}
      />
      {hasNextPage && (
        <Center>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </Center>
      )}
      <AuditDrawer event={event} onClose={() => setEvent(undefined)} />
    </Page>
  );
}

/** Returns the columns of the audit: the event opens its details, the actor filters. */
const columnsWith = (
  open: (event: AuditEventResponse) => void,
  filterByActor: (actorId: string) => void,
): Column<AuditEventResponse>[] => [
  [
    'Event',
    (event) => (
      <Anchor component="button" inherit ta="left" fw={600} onClick={() => open(event)}>
        {labelOf(event.action)}
      </Anchor>
    ),
  ],
  ['Time', ({ at }) => <Time value={at} />, 'nowrap'],
  [
    'Actor',
    ({ actor: { _id, kind, email } }) =>
      _id === undefined ? (
        actorLabels[kind]
      ) : (
        <Anchor
          component="button"
          inherit
          ta="left"
          className="break wide"
          title="Show only events of this user"
          onClick={() => filterByActor(_id)}
        >
          {email ?? _id}
        </Anchor>
      ),
  ],
  ['Organization', ({ organizationId: id }) => (id === undefined ? '–' : <OrganizationLink id={id} />)],
  ['Outcome', ({ outcome }) => <Status tone={outcome === 'success' ? 'good' : 'bad'}>{outcomeLabels[outcome]}</Status>],
];
