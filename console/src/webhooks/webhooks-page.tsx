import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { FilterSelect } from '../components/filter-select';
import { Page } from '../components/page';
import { SearchField } from '../components/search-field';
import { OrganizationSelect } from '../organizations/organization-field';
import type { WebhooksSearch } from '../search';
import { EndpointList, statusLabels } from './endpoint-list';

const route = getRouteApi('/webhooks');

export function WebhooksPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: WebhooksSearch) =>
    void navigate({ search: { ...filters, page: undefined, ...changed }, replace: 'search' in changed });
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
        <FilterSelect
          label="Status"
          all="All"
          labels={statusLabels}
          value={filters.status}
          onChange={(status) => change({ status })}
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
