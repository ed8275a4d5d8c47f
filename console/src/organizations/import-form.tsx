import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listOrganizationSeasonsQuery } from '../api/generated/@tanstack/react-query.gen';
import type { ImportOptions, ImportRequest } from './import-worker';

/** What is imported, and how it is read. */
export type Settings = Pick<ImportRequest, 'encoding' | 'sheet' | 'hasHeader' | 'options'> & {
  file?: File | undefined;
};

interface FormProps {
  organizationId: string;
  settings: Settings;
  onChange: (changes: Partial<Settings>) => void;
}

const kinds = { players: 'Players', schedules: 'Schedules', statistics: 'Statistics of a game' };
const dates = { '': 'Not stated', mdy: 'Month first (9/6/2026)', dmy: 'Day first (6.9.2026)', ymd: 'Year first' };
const encodings = { 'utf-8': 'UTF-8', 'windows-1252': 'Windows-1252', 'utf-16': 'UTF-16' };

/** The file, and what it does not say itself. */
export function ImportForm({ organizationId, settings, onChange }: FormProps) {
  const { file, options } = settings;
  const { kind, season } = options;
  const seasons = useQuery(listOrganizationSeasonsQuery({ path: { organizationId }, query: { limit: 100 } }));
  const names = Object.fromEntries((seasons.data?.data ?? []).map(({ _id, name }) => [_id, name]));
  const set = (changes: object) => onChange({ options: { ...options, ...changes } });
  const text = (label: string, description: string, value: string | undefined, change: (value: string) => void) => (
    <TextInput
      {...{ label, description }}
      value={value ?? ''}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
  const choice = (label: string, labels: object, value: string | undefined, change: (value: string) => void) => (
    <NativeSelect
      label={label}
      data={Object.entries(labels).map(([value, label]) => ({ value, label: String(label) }))}
      value={value ?? ''}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
  const flag = (label: string, checked: boolean | undefined, change: (isChecked: boolean) => void) => (
    <Checkbox label={label} checked={checked ?? false} onChange={(event) => change(event.currentTarget.checked)} />
  );
  return (
    <>
      {choice('Contents', kinds, kind, (value) =>
        onChange({ options: { kind: value as ImportOptions['kind'], season } }),
      )}
      <TextInput
        label="File"
        type="file"
        accept=".csv,.tsv,.txt,.xlsx"
        // So that the same file can be chosen again after it was corrected.
        onClick={({ currentTarget }) => (currentTarget.value = '')}
        onChange={({ currentTarget }) => onChange({ file: currentTarget.files?.[0], options: { ...options, map: {} } })}
      />
      {file && (
        <>
          {/\.xlsx$/i.test(file.name)
            ? text('Sheet', 'Otherwise the first one', settings.sheet, (sheet) => onChange({ sheet }))
            : choice('Encoding', encodings, settings.encoding, (value) =>
                onChange({ encoding: value as Settings['encoding'] }),
              )}
          {text('Team', 'ID or name, if no column has it', options.team, (team) => set({ team: team || undefined }))}
          {kind === 'statistics'
            ? text('Schedule', 'ID or external ID of the game', options.schedule, (schedule) => set({ schedule }))
            : text('ID from', 'Columns, if none is an ID: First Name,Last Name', options.idFrom?.join(), (columns) =>
                set({ idFrom: columns ? columns.split(',') : undefined }),
              )}
          {kind === 'schedules' && (
            <>
              {text('Zone', 'Of the times, such as America/New_York', options.zone, (zone) =>
                set({ zone: zone || undefined }),
              )}
              {choice('Dates', dates, options.dates, (value) => set({ dates: value || undefined }))}
            </>
          )}
          {kind !== 'statistics' &&
            choice('Season', { '': 'All', ...names }, season, (id) => set({ season: id || undefined }))}
          <Stack gap="xs" justify="center">
            {flag('The file has names of columns', settings.hasHeader, (hasHeader) =>
              onChange({ hasHeader, options: { ...options, map: {} } }),
            )}
            {kind === 'statistics'
              ? flag('Blank cells are 0', options.isBlankZero, (isBlankZero) => set({ isBlankZero }))
              : flag('Create teams', options.createTeams, (createTeams) => set({ createTeams }))}
          </Stack>
        </>
      )}
    </>
  );
}
