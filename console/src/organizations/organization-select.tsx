import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../api/queries';
import { texts } from '../texts';

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
  const organizations = new Map(found.data?.data.map(({ _id, name }) => [_id, name]));
  if (value !== null) organizations.set(value, selected.data?.name ?? value);
  return (
    <Select
      label={texts.fields.organization}
      searchable
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      data={[...organizations].map(([id, name]) => ({ value: id, label: name }))}
      nothingFoundMessage={texts.fields.noOrganization}
      clearButtonProps={{ 'aria-label': texts.fields.anyOrganization }}
      {...props}
    />
  );
}
