import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listAllWebhookEndpointsQuery } from '../api/generated/@tanstack/react-query.gen';
import { updateAnyWebhookEndpoint } from '../api/generated/sdk.gen';
import type { AnyWebhookEndpointResponse, WebhookEndpointResponse } from '../api/generated/types.gen';
import { withConfirmation } from '../components/dialog';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { Time } from '../components/time';
import { LinkAnchor, type RowAction, Status } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import type { WebhooksSearch } from '../search';
import { Result } from './attempt-result';

const disabledReasons = {
  organization: 'Disabled by the organization',
  admin: 'Disabled by a super admin',
  gone: 'Disabled: the endpoint returned 410',
  failing: 'Disabled after 5 days of failures',
};

export const statusLabels = {
  failing: 'Failing',
  disabled: 'Disabled',
  limited: 'Hourly limit reached',
  active: 'Active',
};

const tones = { failing: 'warning', disabled: 'bad', limited: 'warning', active: 'good' } as const;

/** Says whether events are sent, and if not, why. */
export function WebhookStatus({ endpoint: { status, disabledReason } }: { endpoint: WebhookEndpointResponse }) {
  const isExplained = status === 'disabled' && disabledReason !== undefined;
  return <Status tone={tones[status]}>{isExplained ? disabledReasons[disabledReason] : statusLabels[status]}</Status>;
}

export function LastDelivery({ endpoint: { lastDelivery } }: { endpoint: WebhookEndpointResponse }) {
  if (lastDelivery === undefined) return 'None yet';
  return (
    <>
      <Time value={lastDelivery.at} as="relative" />
      <Result attempt={lastDelivery} />
    </>
  );
}

export function EndpointLink({ id, url }: { id: string; url: string }) {
  return (
    <LinkAnchor inherit fw={600} className="break wide" to="/webhooks/$endpointId" params={{ endpointId: id }}>
      {url}
    </LinkAnchor>
  );
}

const organizationColumn: Column<AnyWebhookEndpointResponse> = [
  'Organization',
  ({ organizationId: id, organizationName }) => (
    <OrganizationLink id={id} name={organizationName} search={{ tab: 'webhooks' }} />
  ),
];

const columns: Column<AnyWebhookEndpointResponse>[] = [
  [
    'URL',
    ({ _id, url, description }) => (
      <>
        <EndpointLink id={_id} url={url} />
        <Text size="xs" c="dimmed" className="break">
          {description}
        </Text>
      </>
    ),
  ],
  organizationColumn,
  ['Status', (endpoint) => <WebhookStatus endpoint={endpoint} />],
  ['Last delivery', (endpoint) => <LastDelivery endpoint={endpoint} />],
  actionsColumn((endpoint: WebhookEndpointResponse) => [endpoint.url, toggleAction(endpoint)]),
];

const enableEndpoint = {
  label: 'Enable endpoint',
  hint: 'Pending deliveries resume. Events from the time when it was disabled are not sent.',
  notice: 'The endpoint is enabled.',
};

const disableEndpoint = {
  label: 'Disable endpoint',
  hint: 'It stops receiving events. Only a super admin can enable it again.',
  notice: 'The endpoint is disabled.',
};

/** Returns the action that disables or enables an endpoint. */
export const toggleAction = ({ _id: id, url, isEnabled }: WebhookEndpointResponse): RowAction =>
  withConfirmation({
    ...(isEnabled ? disableEndpoint : enableEndpoint),
    subject: url,
    send: () => updateAnyWebhookEndpoint({ path: { id }, body: { isEnabled: !isEnabled } }),
  });

interface EndpointListProps {
  filters: WebhooksSearch;
  onPage: (page: number) => void;
  /** Removes the filters, if the page has some. */
  onClear?: () => void;
}

/** Endpoints that match, failing ones first. */
export function EndpointList({ filters, onPage, onClear }: EndpointListProps) {
  const list = useQuery(listAllWebhookEndpointsQuery({ query: { ...filters, limit: pageSize } }));
  const { page, organizationId, search, status } = filters;
  const isFiltered = onClear !== undefined && (organizationId ?? search ?? status) !== undefined;
  return (
    <QueryList
      label="Webhook endpoints"
      query={list}
      columns={onClear ? columns : columns.filter((column) => column !== organizationColumn)}
      rowKey={({ _id }) => _id}
      page={page}
      onPage={onPage}
      empty={
        isFiltered
          ? ['No matching webhook endpoints', 'Search for another part of the URL, or clear the filters.']
          : [
              'No webhook endpoints',
              'Organizations create endpoints through the API, with a key that has the scope webhooks:write.',
            ]
      }
      onClear={isFiltered ? ['Clear filters', onClear] : undefined}
    />
  );
}
