import { Button, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { listUsersQuery } from '../api/generated/@tanstack/react-query.gen';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { FilterSelect } from '../components/filter-select';
import { fromInput, toInput } from '../components/time';
import { SearchSelect } from '../components/search-select';
import { OrganizationSelect } from '../organizations/organization-field';
import type { AuditSearch } from '../search';
import { actionLabels, actorOf } from './audit-labels';

interface AuditFiltersProps {
  filters: AuditSearch;
  /** The user or the key that was chosen in the list. */
  actor?: AuditEventResponse['actor'] | undefined;
  onChange: (filters: AuditSearch) => void;
}

/** Filters that apply as soon as a choice is made, or an input is left. */
export function AuditFilters({ filters, actor, onChange }: AuditFiltersProps) {
  const change = (changed: AuditSearch) => onChange({ ...filters, ...changed });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 5 }} spacing="sm" verticalSpacing="sm">
      <OrganizationSelect
        clearable
        placeholder="All organizations"
        value={filters.organizationId ?? null}
        onChange={(id) => change({ organizationId: id ?? undefined })}
      />
      <FilterSelect
        label="Action"
        all="All actions"
        labels={actionLabels}
        value={filters.action}
        onChange={(action) => change({ action })}
      />
      <ActorSelect value={filters.actorId} actor={actor} onChange={(actorId) => change({ actorId })} />
      {(['from', 'to'] as const).map((name) => (
        <TimeFilter
          key={name}
          label={name === 'from' ? 'From' : 'Before'}
          value={toInput(filters[name])}
          onChange={(time) => change({ [name]: fromInput(time) })}
        />
      ))}
      {filters.targetId !== undefined && (
        <Button variant="default" onClick={() => change({ targetId: undefined })}>
          Show all records
        </Button>
      )}
      {Object.values(filters).some(Boolean) && (
        <Button variant="default" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </SimpleGrid>
  );
}

interface ActorSelectProps extends Pick<AuditFiltersProps, 'actor'> {
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** Searches people by name or email on the server. A key is chosen in the list of events. */
function ActorSelect({ value, actor, onChange }: ActorSelectProps) {
  const [search, setSearch] = useState<string>();
  const found = useQuery(listUsersQuery({ query: { limit: 20, search } }));
  const labels = new Map(found.data?.data.map(({ _id, name, email }) => [_id, `${name}, ${email}`]));
  if (value !== undefined && !labels.has(value)) labels.set(value, actor?._id === value ? actorOf(actor) : value);
  return (
    <SearchSelect
      label="Person"
      placeholder="All people and keys"
      labels={labels}
      value={value ?? null}
      onSearch={setSearch}
      onChange={(id) => onChange(id ?? undefined)}
      nothingFoundMessage="No person found"
      error={found.error?.message}
      clearable
    />
  );
}

function TimeFilter({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = () => typed !== value && onChange(typed);
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
