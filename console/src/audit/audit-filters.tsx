import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { fromInput, toInput } from '../components/time';
import { OrganizationSelect } from '../organizations/organization-select';
import type { AuditSearch } from '../search';
import { texts } from '../texts';
import { actionLabels, auditActions } from './audit-actions';

interface AuditFiltersProps {
  readonly filters: AuditSearch;
  readonly onChange: (filters: AuditSearch) => void;
}

/** Filters that apply as soon as they change. */
export function AuditFilters({ filters, onChange }: AuditFiltersProps) {
  const { organizationId, actorId, action, from, to } = filters;
  const hasFilter = Object.values(filters).some(Boolean);
  return (
    <Group align="flex-end" gap="sm">
      <OrganizationSelect
        clearable
        placeholder={texts.fields.anyOrganization}
        value={organizationId ?? null}
        onChange={(id) => onChange({ ...filters, organizationId: id ?? undefined })}
      />
      <NativeSelect
        label={texts.audit.action}
        value={action ?? ''}
        data={[
          { value: '', label: texts.audit.anyAction },
          ...auditActions.map((name) => ({ value: name, label: actionLabels[name] })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          onChange({ ...filters, action: auditActions.find((name) => name === value) });
        }}
      />
      <TextInput
        label={texts.audit.actorId}
        placeholder={texts.audit.anyActor}
        defaultValue={actorId ?? ''}
        onBlur={({ currentTarget: { value } }) => {
          if (value.trim() !== (actorId ?? '')) onChange({ ...filters, actorId: value.trim() || undefined });
        }}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
      <TimeFilter label={texts.audit.from} value={from} onChange={(time) => onChange({ ...filters, from: time })} />
      <TimeFilter label={texts.audit.to} value={to} onChange={(time) => onChange({ ...filters, to: time })} />
      {hasFilter && (
        <Button variant="subtle" onClick={() => onChange({})}>
          {texts.audit.clear}
        </Button>
      )}
    </Group>
  );
}

interface TimeFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      defaultValue={toInput(value)}
      onBlur={({ currentTarget }) => {
        if (currentTarget.value !== toInput(value)) onChange(fromInput(currentTarget.value));
      }}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  );
}
