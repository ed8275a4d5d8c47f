import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { FilterSelect, SearchField } from '../components/filters';
import { Page } from '../components/page';
import { OrganizationFilter } from '../organizations/organization-field';
import { EndpointList, statusLabels } from './endpoint-list';

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
