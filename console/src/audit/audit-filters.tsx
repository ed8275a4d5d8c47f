import { Button, NativeSelect, SimpleGrid, TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { AuditAction } from '../api/generated/types.gen';
import { fromInput, toInput } from '../components/time';
import { optionsOf } from '../components/ui';
import { OrganizationSelect } from '../organizations/organization-field';
import type { AuditSearch } from '../search';
import { actionLabels } from './audit-labels';

interface AuditFiltersProps {
  filters: AuditSearch;
  onChange: (filters: AuditSearch) => void;
}

/** Filters that apply as soon as a choice is made, or an input is left. */
export function AuditFilters({ filters, onChange }: AuditFiltersProps) {
  const change = (changed: AuditSearch) => onChange({ ...filters, ...changed });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 5 }} spacing="sm" verticalSpacing="sm">
      <OrganizationSelect
        clearable
        placeholder="All organizations"
        value={filters.organizationId ?? null}
        onChange={(id) => change({ organizationId: id ?? undefined })}
      />
      <NativeSelect
        label="Action"
        value={filters.action ?? ''}
        data={[{ value: '', label: 'All actions' }, ...optionsOf(actionLabels)]}
        onChange={(event) =>
          change({ action: Object.values(AuditAction).find((name) => name === event.currentTarget.value) })
        }
      />
      <TextFilter
        label="User ID"
        placeholder="All users"
        value={filters.actorId ?? ''}
        onChange={(id) => change({ actorId: id.trim() || undefined })}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextFilter
          key={name}
          label={name === 'from' ? 'From' : 'Before'}
          type="datetime-local"
          value={toInput(filters[name])}
          onChange={(time) => change({ [name]: fromInput(time) })}
        />
      ))}
      {Object.values(filters).some(Boolean) && (
        <Button variant="default" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </SimpleGrid>
  );
}

interface TextFilterProps extends Omit<TextInputProps, 'onChange'> {
  value: string;
  onChange: (value: string) => void;
}

function TextFilter({ value, onChange, ...input }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = () => typed !== value && onChange(typed);
  return (
    <TextInput
      {...input}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}
