import { Anchor, Button, Center } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listAuditEvents } from '../api/generated/sdk.gen';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { openDialog } from '../components/dialog';
import { type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { Status } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { texts } from '../texts';
import { AuditDrawer, labelOf } from './audit-drawer';
import { AuditFilters } from './audit-filters';

const route = getRouteApi('/audit');
const labels = texts.audit;

export function AuditPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
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
    <Page title={labels.title} description={labels.description}>
      <AuditFilters filters={filters} onChange={(search) => void navigate({ search })} />
      <QueryList
        label={labels.list}
        query={query}
        columns={columnsWith(filterByActor)}
        rowKey={({ _id }) => _id}
        empty={labels.empty}
      />
      {hasNextPage && (
        <Center>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {labels.more}
          </Button>
        </Center>
      )}
    </Page>
  );
}

/** Returns the columns of the audit: the event opens its details, the actor filters. */
const columnsWith = (filterByActor: (actorId: string) => void): Column<AuditEventResponse>[] => [
  [
    labels.fields.event,
    (event) => (
      <Anchor component="button" inherit ta="left" fw={600} onClick={() => openDialog(<AuditDrawer event={event} />)}>
        {labelOf(event.action)}
      </Anchor>
    ),
  ],
  [labels.fields.at, ({ at }) => <Time value={at} />, 'nowrap'],
  [
    labels.fields.actor,
    ({ actor: { _id, kind, email } }) =>
      _id === undefined ? (
        labels.actors[kind]
      ) : (
        <Anchor
          component="button"
          inherit
          ta="left"
          className="break wide"
          title={labels.filterByActor}
          onClick={() => filterByActor(_id)}
        >
          {email ?? _id}
        </Anchor>
      ),
  ],
  [
    texts.organization.title,
    ({ organizationId: id }) => (id === undefined ? texts.none : <OrganizationLink id={id} />),
  ],
  [
    labels.fields.outcome,
    ({ outcome }) => <Status tone={outcome === 'done' ? 'good' : 'bad'}>{labels.outcomes[outcome]}</Status>,
  ],
];
