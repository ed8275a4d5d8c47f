import { Group, NativeSelect } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { WebhookEndpointStatus } from '../api/generated/types.gen';
import { Page } from '../components/page';
import { SearchField } from '../components/search-field';
import { optionsOf } from '../components/ui';
import { OrganizationSelect } from '../organizations/organization-field';
import type { WebhooksSearch } from '../search';
import { EndpointList, statusLabels } from './endpoint-list';

const route = getRouteApi('/webhooks');

export function WebhooksPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: WebhooksSearch) =>
    void navigate({ search: { ...filters, page: undefined, ...changed }, replace: 'search' in changed });
  const find = (status: string) => Object.values(WebhookEndpointStatus).find((name) => name === status);
  return (
    <Page title="Webhooks" description="Webhook endpoints of all organizations, failing ones first.">
      <Group align="flex-end">
        <SearchField label="Search URLs" value={filters.search} onSearch={(search) => change({ search })} />
        <OrganizationSelect
          clearable
          placeholder="All organizations"
          value={filters.organizationId ?? null}
          onChange={(id) => change({ organizationId: id ?? undefined })}
        />
        <NativeSelect
          label="Status"
          value={filters.status ?? ''}
          data={[{ value: '', label: 'All' }, ...optionsOf(statusLabels)]}
          onChange={(event) => change({ status: find(event.currentTarget.value) })}
        />
      </Group>
      <EndpointList
        filters={filters}
        onPage={(page) => change({ page })}
        onClear={() => void navigate({ search: {} })}
      />
    </Page>
  );
}
