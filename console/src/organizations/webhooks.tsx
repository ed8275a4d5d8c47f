import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../api/client';
import { toggleWebhookEndpoint } from '../api/generated/sdk.gen';
import type { WebhookEndpointResponse } from '../api/generated/types.gen';
import { queries } from '../api/queries';
import { ConfirmDialog } from '../components/confirm-dialog';
import { Empty } from '../components/empty';
import { type Column, QueryList } from '../components/list';
import { RowActions } from '../components/row-actions';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { texts } from '../texts';

export function Webhooks({ organizationId }: { organizationId: string }) {
  const [chosen, setChosen] = useState<WebhookEndpointResponse>();
  const list = useQuery(queries.webhooks(organizationId));
  const columns: Column<WebhookEndpointResponse>[] = [
    { header: texts.webhooks.url, cell: (endpoint) => <Address endpoint={endpoint} /> },
    { header: texts.fields.status, cell: (endpoint) => <WebhookStatus endpoint={endpoint} /> },
    { header: texts.webhooks.lastDelivery, cell: (endpoint) => <LastDelivery endpoint={endpoint} /> },
    {
      header: texts.actions.column,
      className: 'actions',
      cell: (endpoint) => {
        const label = endpoint.isEnabled ? texts.webhooks.disable : texts.webhooks.enable;
        return <RowActions name={endpoint.url} actions={[{ label, onClick: () => setChosen(endpoint) }]} />;
      },
    },
  ];
  return (
    <>
      <QueryList
        label={texts.webhooks.list}
        query={list}
        columns={columns}
        rowKey={({ _id }) => _id}
        empty={<Empty title={texts.webhooks.none} hint={texts.webhooks.noneHint} />}
      />
      {chosen && <ToggleDialog endpoint={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function Address({ endpoint: { url, description } }: { endpoint: WebhookEndpointResponse }) {
  return (
    <>
      <strong className="break">{url}</strong>
      <Text size="xs" c="dimmed" className="break">
        {description}
      </Text>
    </>
  );
}

/** Says whether events are sent, and if not, why. */
export function WebhookStatus({ endpoint: { status, disabledReason } }: { endpoint: WebhookEndpointResponse }) {
  if (status === 'active') return <StatusBadge tone="good">{texts.status.active}</StatusBadge>;
  if (status === 'failing') return <StatusBadge tone="warning">{texts.webhooks.failing}</StatusBadge>;
  const reason = disabledReason === undefined ? texts.status.disabled : texts.webhooks.disabledBy[disabledReason];
  return <StatusBadge tone="bad">{reason}</StatusBadge>;
}

export function LastDelivery({ endpoint: { lastDelivery } }: { endpoint: WebhookEndpointResponse }) {
  if (lastDelivery === undefined) return texts.webhooks.noDelivery;
  const { at, statusCode, error } = lastDelivery;
  return (
    <>
      <Time value={at} as="relative" />
      <Text size="xs" c="dimmed" className="break">
        {statusCode === undefined ? error : texts.webhooks.outcome(statusCode)}
      </Text>
    </>
  );
}

function ToggleDialog({ endpoint, onClose }: { endpoint: WebhookEndpointResponse; onClose: () => void }) {
  const { _id: id, isEnabled } = endpoint;
  return (
    <ConfirmDialog
      title={isEnabled ? texts.webhooks.disable : texts.webhooks.enable}
      explanation={isEnabled ? texts.webhooks.disableHint : texts.webhooks.enableHint}
      notice={isEnabled ? texts.webhooks.disabled : texts.webhooks.enabled}
      send={() => send(toggleWebhookEndpoint({ path: { id }, body: { isEnabled: !isEnabled } }))}
      onClose={onClose}
    />
  );
}
