import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listAllWebhookEndpointsQuery } from '../api/generated/@tanstack/react-query.gen';
import { updateAnyWebhookEndpoint } from '../api/generated/sdk.gen';
import type {
  AnyWebhookEndpointResponse,
  ListAllWebhookEndpointsData,
  WebhookEndpointResponse,
} from '../api/generated/types.gen';
import { withConfirmation } from '../components/dialog';
import { FilterSelect, SearchField } from '../components/filters';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { RecordLink } from '../components/record-link';
import { Time } from '../components/time';
import { Note, type RowAction, Status } from '../components/ui';
import { OrganizationFilter, OrganizationLink } from '../organizations/organization-field';
import { Result } from './attempt-result';

const disabledReasons = {
  organization: 'Disabled by the organization',
  admin: 'Disabled by a super admin',
  gone: 'Disabled: the endpoint returned 410',
  failing: 'Disabled after 5 days of failures',
};

const statusLabels = {
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

const columns: Column<AnyWebhookEndpointResponse>[] = [
  [
    'URL',
    ({ _id: id, organizationId, url, description }) => (
      <>
        <RecordLink kind="webhookEndpoint" {...{ id, organizationId }} name={url} fw={600} className="break wide" />
        <Note>{description}</Note>
      </>
    ),
  ],
  [
    'Organization',
    ({ organizationId: id, organizationName, isSandbox }) => (
      <OrganizationLink id={id} name={organizationName} search={{ tab: 'webhooks' }} isSandbox={isSandbox} />
    ),
  ],
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
  query: ListAllWebhookEndpointsData['query'];
  /** Whether all are of one organization, which then needs no column. */
  isOfOrganization?: boolean;
}

/** Endpoints that match, failing ones first. */
export function EndpointList({ query, isOfOrganization = false }: EndpointListProps) {
  const list = useQuery(listAllWebhookEndpointsQuery({ query: { ...query, limit: pageSize } }));
  return (
    <QueryList
      label="Webhook endpoints"
      query={list}
      columns={columns.filter(([header]) => !isOfOrganization || header !== 'Organization')}
      rowKey={({ _id }) => _id}
      isPaged
      empty={[
        'No webhook endpoints',
        'Organizations create endpoints through the API, with a key that has the scope webhooks:write.',
      ]}
      noMatch={[
        'No matching webhook endpoints',
        'Search for another part of the URL, or clear the filters.',
        'Clear filters',
      ]}
    />
  );
}

const route = getRouteApi('/webhooks');

export function WebhooksPage() {
  return (
    <Page title="Webhooks" description="Webhook endpoints of all organizations, failing ones first.">
      <Group align="flex-end">
        <SearchField label="Search URLs" />
        <OrganizationFilter />
        <FilterSelect name="status" label="Status" all="All" labels={statusLabels} />
      </Group>
      <EndpointList query={route.useSearch()} />
    </Page>
  );
}
