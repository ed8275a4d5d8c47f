import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listOrganizationWebhookEndpointsQuery } from '../api/generated/@tanstack/react-query.gen';
import { toggleWebhookEndpoint } from '../api/generated/sdk.gen';
import type { WebhookEndpointResponse } from '../api/generated/types.gen';
import { withConfirmation } from '../components/dialog';
import { actionsColumn, type Column, QueryList } from '../components/list';
import { Time } from '../components/time';
import { Status } from '../components/ui';

const disabledReasons = {
  organization: 'Disabled by the organization',
  admin: 'Disabled by a super admin',
  gone: 'Disabled: the endpoint returned 410',
  failing: 'Disabled after 5 days of failures',
};

/** Says whether events are sent, and if not, why. */
export function WebhookStatus({ endpoint: { status, disabledReason } }: { endpoint: WebhookEndpointResponse }) {
  if (status === 'active') return <Status tone="good">Active</Status>;
  if (status === 'failing') return <Status tone="warning">Failing</Status>;
  return <Status tone="bad">{disabledReason ? disabledReasons[disabledReason] : 'Disabled'}</Status>;
}

function LastDelivery({ endpoint: { lastDelivery } }: { endpoint: WebhookEndpointResponse }) {
  if (lastDelivery === undefined) return 'None yet';
  const { at, statusCode, error } = lastDelivery;
  return (
    <>
      <Time value={at} as="relative" />
      <Text size="xs" c="dimmed" className="break">
        {statusCode === undefined ? error : `HTTP ${statusCode}`}
      </Text>
    </>
  );
}

const webhookColumns: Column<WebhookEndpointResponse>[] = [
  [
    'Address',
    ({ url, description }) => (
      <>
        <strong className="break">{url}</strong>
        <Text size="xs" c="dimmed" className="break">
          {description}
        </Text>
      </>
    ),
  ],
  ['Status', (endpoint) => <WebhookStatus endpoint={endpoint} />],
  ['Last delivery', (endpoint) => <LastDelivery endpoint={endpoint} />],
];

const enableEndpoint = {
  label: 'Enable endpoint',
  hint: 'It gets events again.',
  notice: 'The endpoint is enabled.',
};

const disableEndpoint = {
  label: 'Disable endpoint',
  hint: 'It gets no more events. The organization cannot enable it again, but you can.',
  notice: 'The endpoint is disabled.',
};

export function Webhooks({ organizationId }: { organizationId: string }) {
  const list = useQuery(listOrganizationWebhookEndpointsQuery({ path: { organizationId } }));
  const toggle = ({ _id: id, url, isEnabled }: WebhookEndpointResponse) =>
    withConfirmation({
      ...(isEnabled ? disableEndpoint : enableEndpoint),
      subject: url,
      send: () => toggleWebhookEndpoint({ path: { id }, body: { isEnabled: !isEnabled } }),
    });
  return (
    <QueryList
      label="Webhook endpoints"
      query={list}
      columns={[
        ...webhookColumns,
        actionsColumn((endpoint: WebhookEndpointResponse) => [endpoint.url, toggle(endpoint)]),
      ]}
      rowKey={({ _id }) => _id}
      empty={[
        'No webhook endpoints',
        'The organization creates them itself, with a key that has the scope webhooks:write.',
      ]}
    />
  );
}
