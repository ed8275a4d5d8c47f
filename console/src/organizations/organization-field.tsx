import type { SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getOrganizationQuery, listOrganizationsQuery } from '../api/generated/@tanstack/react-query.gen';
import { SearchSelect } from '../components/filters';
import { LinkAnchor, SandboxBadge } from '../components/ui';
import type { OrganizationResponse } from '../api/generated/types.gen';
import { type ListSearch, useFilters } from '../search';

/** Reads an organization, if there is one to read. */
export const useOrganization = (organizationId: string | null) =>
  useQuery({
    ...getOrganizationQuery({ path: { organizationId: organizationId ?? '' } }),
    enabled: organizationId !== null,
  }).data?.data;

interface OrganizationLinkProps {
  id: string;
  /** The name of the organization, or of something in it; undefined if it has been erased. */
  name: string | undefined;
  search?: ListSearch;
  isSandbox?: boolean | undefined;
}

/** A link to an organization with its name, or else its ID. */
export const OrganizationLink = ({ id, name = id, search = {}, isSandbox = false }: OrganizationLinkProps) => (
  <>
    <LinkAnchor className="break" to="/organizations/$organizationId" params={{ organizationId: id }} search={search}>
      {name}
    </LinkAnchor>{' '}
    <SandboxBadge isSandbox={isSandbox} />
  </>
);

const labelOf = ({ name, isSandbox }: OrganizationResponse) => (isSandbox ? `${name} (sandbox)` : name);

/** Searches organizations by name on the server. */
export function OrganizationSelect({ value = null, ...props }: Omit<SelectProps, 'label'>) {
  const [search, setSearch] = useState<string>();
  const selected = useOrganization(value);
  const found = useQuery(listOrganizationsQuery({ query: { limit: 20, search } }));
  const names = new Map(found.data?.data.map((organization) => [organization._id, labelOf(organization)]));
  if (value !== null && selected) names.set(value, labelOf(selected));
  return (
    <SearchSelect
      label="Organization"
      labels={names}
      value={value}
      onSearch={setSearch}
      failure={found.error}
      {...props}
    />
  );
}

/** Filters a list by an organization. */
export function OrganizationFilter() {
  const { filters, change } = useFilters();
  return (
    <OrganizationSelect
      clearable
      placeholder="All organizations"
      value={filters.organizationId ?? null}
      onChange={(id) => change({ organizationId: id ?? undefined })}
    />
  );
}
