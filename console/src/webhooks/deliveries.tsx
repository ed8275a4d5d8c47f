import { Anchor, Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listAnyDeliveriesQuery } from '../api/generated/@tanstack/react-query.gen';
import { retryAnyDelivery } from '../api/generated/sdk.gen';
import type { AnyDelivery, DeliveryStatus, WebhookEndpointResponse } from '../api/generated/types.gen';
import { targetLabels } from '../audit/audit-labels';
import { withConfirmation } from '../components/dialog';
import { FilterSelect } from '../components/filters';
import { actionsColumn, type Column, DataTable, pageSize, QueryList } from '../components/list';
import { formatCount, formatNumber } from '../components/number';
import { RecordLink } from '../components/record-link';
import { formatTime, Time } from '../components/time';
import { Status } from '../components/ui';
import { Result } from './attempt-result';

const route = getRouteApi('/webhooks/$endpointId');

const labels: Record<DeliveryStatus, string> = { pending: 'Pending', succeeded: 'Succeeded', failed: 'Failed' };
const tones = { pending: 'warning', succeeded: 'good', failed: 'bad' } as const;

/** The delivery log of an endpoint. */
export function Deliveries({ endpoint }: { endpoint: WebhookEndpointResponse }) {
  const { _id: id } = endpoint;
  const { status, page } = route.useSearch();
  const [chosen, setChosen] = useState<AnyDelivery>();
  const list = useQuery({
    ...listAnyDeliveriesQuery({ path: { id }, query: { status, page, limit: pageSize } }),
    // New deliveries and attempts appear without a reload.
    refetchInterval: 5_000,
  });
  const shown = list.data?.data.find(({ _id }) => _id === chosen?._id) ?? chosen;
  return (
    <Stack gap="md">
      <FilterSelect name="status" label="Filter" w="fit-content" all="All deliveries" labels={labels} />
      <QueryList
        label="Deliveries"
        query={list}
        columns={columnsWith(endpoint, setChosen)}
        rowKey={({ _id }) => _id}
        isPaged
        empty={['No deliveries', 'Events for this endpoint appear here. Send a ping to try it.']}
      />
      <Drawer opened={chosen !== undefined} onClose={() => setChosen(undefined)} title="Attempts">
        {shown && <DataTable label="Attempts" columns={attemptColumns} rows={shown.attempts} rowKey={({ at }) => at} />}
      </Drawer>
    </Stack>
  );
}

const attemptColumns: Column<AnyDelivery['attempts'][number]>[] = [
  ['Sent', ({ at }) => <Time value={at} as="second" />],
  ['Response', (attempt) => <Result attempt={attempt} />],
  ['Duration', ({ durationMs }) => `${formatNumber(durationMs)} ms`, 'numeric'],
];

/** Returns the columns: the number of attempts opens them. */
const columnsWith = (
  { _id: id, isEnabled, organizationId }: WebhookEndpointResponse,
  open: (delivery: AnyDelivery) => void,
): Column<AnyDelivery>[] => [
  [
    'Event',
    ({ event, record }) => (
      <>
        <strong>{event}</strong>
        <Text size="xs">
          <EventRecord record={record} organizationId={organizationId} />
        </Text>
      </>
    ),
  ],
  ['Time', ({ createdAt }) => <Time value={createdAt} />, 'nowrap'],
  ['Status', ({ status }) => <Status tone={tones[status]}>{labels[status]}</Status>],
  [
    'Attempts',
    (delivery) => {
      const latest = delivery.attempts.at(-1);
      if (latest === undefined) return 'None yet';
      return (
        <>
          <Anchor component="button" onClick={() => open(delivery)}>
            {formatCount(delivery.attempts.length, 'attempt')}
          </Anchor>
          <Result attempt={latest} />
        </>
      );
    },
  ],
  [
    'Next attempt',
    ({ nextAttemptAt, lastAttemptAt }) =>
      isEnabled && nextAttemptAt ? (
        <>
          {Date.parse(nextAttemptAt) > Date.now() ? <Time value={nextAttemptAt} as="relative" /> : 'Soon'}
          <Text size="xs">Fails for good about {formatTime(lastAttemptAt ?? nextAttemptAt)}</Text>
        </>
      ) : (
        '–'
      ),
  ],
  actionsColumn((delivery: AnyDelivery) => [
    `${delivery.event} ${delivery._id}`,
    ...(isEnabled ? [resendAction(id, delivery)] : []),
  ]),
];

const kinds: Readonly<Record<string, string>> = { ...targetLabels, team: 'Team', playerStatistics: 'Statistics of' };

/** The record of an event; a ping has none. */
function EventRecord({ record, organizationId }: { record: string; organizationId: string }) {
  const [kind = '', id] = record.split('.');
  if (id === undefined) return null;
  return <RecordLink kind={kind} id={id} organizationId={organizationId} name={`${kinds[kind] ?? kind} ${id}`} />;
}

const resendAction = (id: string, { _id: deliveryId, event }: AnyDelivery) =>
  withConfirmation({
    label: 'Send again',
    hint: 'The event is sent again, with the same ID. Earlier pending deliveries are sent first.',
    notice: 'The delivery is queued.',
    subject: event,
    send: () => retryAnyDelivery({ path: { id, deliveryId } }),
  });
