import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getOrganizationQuery, listOrganizationsQuery } from '../api/generated/@tanstack/react-query.gen';
import { LinkAnchor } from '../components/ui';
import type { ListSearch } from '../search';

/** Reads an organization, unless it is not needed. */
const useOrganization = (organizationId: string | null) =>
  useQuery({
    ...getOrganizationQuery({ path: { organizationId: organizationId ?? '' } }),
    enabled: organizationId !== null,
  }).data?.data;

interface OrganizationLinkProps {
  id: string;
  /** The name of the organization, or of something in it. */
  name?: string;
  search?: ListSearch;
}

/** A link to an organization with its name, or its ID until the name is known. */
export function OrganizationLink({ id, name, search = {} }: OrganizationLinkProps) {
  const organization = useOrganization(name === undefined ? id : null);
  const target = { to: '/organizations/$organizationId', params: { organizationId: id }, search } as const;
  return (
    <LinkAnchor inherit className="break" {...target}>
      {name ?? organization?.name ?? id}
    </LinkAnchor>
  );
}

/** Searches organizations by name on the server. */
export function OrganizationSelect({ value = null, ...props }: SelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 200);
  const selected = useOrganization(value);
  // After a choice, the input holds the name of the chosen organization: then all are listed.
  const isSearch = search !== '' && search !== selected?.name;
  const found = useQuery(listOrganizationsQuery({ query: { limit: 20, search: isSearch ? search : undefined } }));
  const names = new Map(found.data?.data.map(({ _id, name }) => [_id, name]));
  if (value !== null && selected) names.set(value, selected.name);
  return (
    <Select
      label="Organization"
      searchable
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      nothingFoundMessage="No organization found"
      comboboxProps={{ withinPortal: false }}
      error={found.error?.message}
      clearButtonProps={{ 'aria-label': 'Clear organization' }}
      {...props}
    />
  );
}
