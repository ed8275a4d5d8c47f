import { Button, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { listUsersQuery } from '../api/generated/@tanstack/react-query.gen';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { FilterSelect, SearchSelect } from '../components/filters';
import { fromInput, toInput } from '../components/time';
import { OrganizationFilter } from '../organizations/organization-field';
import { useFilters } from '../search';
import { actionLabels, actorOf } from './audit-labels';
import { SavedFilters } from './saved-filters';

interface AuditFiltersProps {
  /** The user or the key that was chosen in the list. */
  actor: AuditEventResponse['actor'] | undefined;
}

/** Filters that apply as soon as a choice is made, or an input is left. */
export function AuditFilters({ actor }: AuditFiltersProps) {
  const { filters, change, clear, isFiltered } = useFilters();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 5 }} spacing="sm" verticalSpacing="sm">
      <OrganizationFilter />
      <FilterSelect name="action" label="Action" all="All actions" labels={actionLabels} />
      <ActorFilter actor={actor} />
      <TimeFilter name="from" label="From" />
      <TimeFilter name="to" label="Before" />
      {filters.targetId !== undefined && (
        <Button variant="default" onClick={() => change({ targetId: undefined })}>
          Show all records
        </Button>
      )}
      {isFiltered && (
        <Button variant="default" onClick={clear}>
          Clear filters
        </Button>
      )}
      <SavedFilters />
    </SimpleGrid>
  );
}

/** Searches people by name or email on the server. A key is chosen in the list of events. */
function ActorFilter({ actor }: AuditFiltersProps) {
  const { filters, change } = useFilters();
  const { actorId: value = null } = filters;
  const [search, setSearch] = useState<string>();
  const found = useQuery(listUsersQuery({ query: { limit: 20, search } }));
  const labels = new Map(found.data?.data.map(({ _id, name, email }) => [_id, `${name}, ${email}`]));
  if (value !== null && !labels.has(value)) labels.set(value, actor?._id === value ? actorOf(actor) : value);
  return (
    <SearchSelect
      label="Person"
      placeholder="All people and keys"
      labels={labels}
      value={value}
      onSearch={setSearch}
      onChange={(id) => change({ actorId: id ?? undefined })}
      failure={found.error}
      clearable
    />
  );
}

function TimeFilter({ name, label }: { name: 'from' | 'to'; label: string }) {
  const { filters, change } = useFilters();
  const value = toInput(filters[name]);
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = () => typed !== value && change({ [name]: fromInput(typed) });
  return (
    <TextInput
      label={label}
      type="datetime-local"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}
