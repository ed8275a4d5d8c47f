import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../api/queries';
import { LinkAnchor } from '../components/ui';
import { texts } from '../texts';

/** The name of an organization as a link, or its ID until the name is known. */
export function OrganizationName({
  id,
  name,
  tab,
}: {
  id: string;
  name?: string;
  tab?: 'keys' | 'webhooks' | 'usage';
}) {
  const { data } = useQuery({ ...queries.organization(id), enabled: name === undefined });
  return (
    <LinkAnchor
      inherit
      className="break"
      to="/organizations/$organizationId"
      params={{ organizationId: id }}
      search={{ tab }}
    >
      {name ?? data?.name ?? id}
    </LinkAnchor>
  );
}

interface OrganizationSelectProps {
  readonly value?: string | null;
  readonly onChange?: (id: string | null) => void;
  readonly placeholder?: string;
  readonly clearable?: boolean;
  readonly error?: ReactNode;
}

/** Searches organizations by name on the server. */
export function OrganizationSelect({ value = null, ...props }: OrganizationSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 200);
  const selected = useQuery({ ...queries.organization(value ?? ''), enabled: value !== null });
  // After a choice, the input holds the name of the chosen organization: then all are listed.
  const isSearch = search !== '' && search !== selected.data?.name;
  const found = useQuery(queries.organizations({ limit: 20, ...(isSearch && { search }) }));
  const names = new Map(found.data?.data.map(({ _id, name }) => [_id, name]));
  if (value !== null && selected.data) names.set(value, selected.data.name);
  return (
    <Select
      label={texts.organization.title}
      searchable
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      nothingFoundMessage={texts.organization.notFound}
      comboboxProps={{ withinPortal: false }}
      clearButtonProps={{ 'aria-label': texts.organization.clear }}
      {...props}
    />
  );
}
