import { Anchor } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listAuditEvents } from '../api/generated/sdk.gen';
import type { AuditEventListResponse, AuditEventResponse } from '../api/generated/types.gen';
import { CsvButton, type CsvColumn } from '../components/csv';
import { type Column, LoadMore, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { Status } from '../components/ui';
import { usePages } from '../components/use-pages';
import { OrganizationLink } from '../organizations/organization-field';
import { useFilters } from '../search';
import { AuditDrawer } from './audit-drawer';
import { AuditFilters } from './audit-filters';
import { actorOf, labelOf, outcomeLabels, recordOf } from './audit-labels';

const route = getRouteApi('/audit');

type Actor = AuditEventResponse['actor'];

const toJson = (values: object | undefined) => values && JSON.stringify(values);

const csvColumns: CsvColumn<AuditEventResponse>[] = [
  ['Time', ({ at }) => at],
  ['Event', labelOf],
  ['Record', ({ target }) => target && recordOf(target)],
  ['Record ID', ({ target }) => target?._id],
  ['Actor', ({ actor }) => actorOf(actor)],
  ['Organization', ({ organizationName }) => organizationName],
  ['Organization ID', ({ organizationId }) => organizationId],
  ['Outcome', ({ outcome }) => outcome],
  ['Before', ({ previous }) => toJson(previous)],
  ['After', ({ changes }) => toJson(changes)],
  ['IP address', ({ address }) => address],
  ['Request ID', ({ requestId }) => requestId],
];

export function AuditPage() {
  const filters = route.useSearch();
  const { change } = useFilters();
  const [event, setEvent] = useState<AuditEventResponse>();
  const { query, more } = usePages(['audit', filters], (page, signal) =>
    listAuditEvents({ query: { ...filters, ...page }, signal }),
  );
  const [actor, setActor] = useState<Actor>();
  const filterByActor = (chosen: Actor) => {
    setActor(chosen);
    change({ actorId: chosen._id });
  };
  async function* readCsv() {
    let cursor: string | undefined;
    do {
      const page: AuditEventListResponse = await listAuditEvents({ query: { ...filters, limit: 100, cursor } });
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
  return (
    <Page
      title="Audit log"
      description="Who changed what, newest first. Select an event to see its details. Changes of single games, teams and players are in their history: find the record in the tab “Data” of its organization."
      actions={<CsvButton name="audit" columns={csvColumns} read={readCsv} />}
    >
      <AuditFilters actor={actor} />
      <QueryList
        label="Audit events"
        query={query}
        columns={columnsWith(setEvent, filterByActor)}
        rowKey={({ _id }) => _id}
        empty={['No matching events', 'Choose a longer time range, or clear the filters.']}
      />
      <LoadMore {...more} />
      <AuditDrawer event={event} onClose={() => setEvent(undefined)} />
    </Page>
  );
}

/** Returns the columns of the audit: the event opens its details, the actor filters. */
const columnsWith = (
  open: (event: AuditEventResponse) => void,
  filterByActor: (actor: Actor) => void,
): Column<AuditEventResponse>[] => [
  [
    'Event',
    (event) => (
      <Anchor component="button" ta="left" fw={600} onClick={() => open(event)}>
        {labelOf(event)}
      </Anchor>
    ),
  ],
  ['Record', ({ target }) => <span className="break">{target ? recordOf(target) : '–'}</span>],
  ['Time', ({ at }) => <Time value={at} />, 'nowrap'],
  [
    'Actor',
    ({ actor }) =>
      actor._id === undefined ? (
        actorOf(actor)
      ) : (
        <Anchor
          component="button"
          ta="left"
          className="break"
          title="Show only their events"
          onClick={() => filterByActor(actor)}
        >
          {actorOf(actor)}
        </Anchor>
      ),
  ],
  [
    'Organization',
    ({ organizationId: id, organizationName: name, isSandbox }) =>
      id === undefined ? '–' : <OrganizationLink id={id} name={name} isSandbox={isSandbox} />,
  ],
  ['Outcome', ({ outcome }) => <Status tone={outcome === 'success' ? 'good' : 'bad'}>{outcomeLabels[outcome]}</Status>],
];
