import type { SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getOrganizationQuery, listOrganizationsQuery } from '../api/generated/@tanstack/react-query.gen';
import { SearchSelect } from '../components/search-select';
import { LinkAnchor } from '../components/ui';
import type { ListSearch } from '../search';

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
}

/** A link to an organization with its name, or else its ID. */
export function OrganizationLink({ id, name, search = {} }: OrganizationLinkProps) {
  const target = { to: '/organizations/$organizationId', params: { organizationId: id }, search } as const;
  return (
    <LinkAnchor inherit className="break" {...target}>
      {name ?? id}
    </LinkAnchor>
  );
}

/** Searches organizations by name on the server. */
export function OrganizationSelect({ value = null, ...props }: Omit<SelectProps, 'label'>) {
  const [search, setSearch] = useState<string>();
  const selected = useOrganization(value);
  const found = useQuery(listOrganizationsQuery({ query: { limit: 20, search } }));
  const names = new Map(found.data?.data.map(({ _id, name }) => [_id, name]));
  if (value !== null && selected) names.set(value, selected.name);
  return (
    <SearchSelect
      label="Organization"
      labels={names}
      value={value}
      onSearch={setSearch}
      nothingFoundMessage="No organization found"
      error={found.error?.message}
      {...props}
    />
  );
}
