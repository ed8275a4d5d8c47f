import { Button, NativeSelect, SimpleGrid, TextInput, type TextInputProps } from '@mantine/core';
import { fromInput, toInput } from '../components/time';
import { optionsOf } from '../components/ui';
import { OrganizationSelect } from '../organizations/organization-field';
import type { AuditSearch } from '../router';
import { texts } from '../texts';
import { actionLabels, auditActions } from './audit-actions';

const own = texts.audit;

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
        label={own.action}
        value={filters.action ?? ''}
        data={[{ value: '', label: own.anyAction }, ...optionsOf(actionLabels)]}
        onChange={(event) => change({ action: auditActions.find((name) => name === event.currentTarget.value) })}
      />
      <TextFilter
        label={own.actorId}
        placeholder={own.anyActor}
        value={filters.actorId ?? ''}
        onChange={(id) => change({ actorId: id.trim() || undefined })}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextFilter
          key={name}
          label={own[name]}
          type="datetime-local"
          value={toInput(filters[name])}
          onChange={(time) => change({ [name]: fromInput(time) })}
        />
      ))}
      {Object.values(filters).some(Boolean) && (
        <Button variant="default" onClick={() => onChange({})}>
          {own.clear}
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
  return (
    <TextInput
      {...input}
      defaultValue={value}
      onBlur={(event) => event.currentTarget.value !== value && onChange(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  );
}
