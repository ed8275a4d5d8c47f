import { Button, NativeSelect, SimpleGrid, TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { AuditAction } from '../api/generated/types.gen';
import { fromInput, toInput } from '../components/time';
import { optionsOf } from '../components/ui';
import { OrganizationSelect } from '../organizations/organization-field';
import type { AuditSearch } from '../router';
import { texts } from '../texts';

const labels = texts.audit;

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
        placeholder={texts.organization.all}
        value={filters.organizationId ?? null}
        onChange={(id) => change({ organizationId: id ?? undefined })}
      />
      <NativeSelect
        label={labels.filters.action}
        value={filters.action ?? ''}
        data={[{ value: '', label: labels.anyAction }, ...optionsOf(labels.actions)]}
        onChange={(event) =>
          change({ action: Object.values(AuditAction).find((name) => name === event.currentTarget.value) })
        }
      />
      <TextFilter
        label={labels.filters.actorId}
        placeholder={labels.anyActor}
        value={filters.actorId ?? ''}
        onChange={(id) => change({ actorId: id.trim() || undefined })}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextFilter
          key={name}
          label={labels.filters[name]}
          type="datetime-local"
          value={toInput(filters[name])}
          onChange={(time) => change({ [name]: fromInput(time) })}
        />
      ))}
      {Object.values(filters).some(Boolean) && (
        <Button variant="default" onClick={() => onChange({})}>
          {labels.clear}
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
