import { Button, NativeSelect } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { openForm } from '../components/dialog';
import { auditSearch, useFilters } from '../search';

type Saved = Readonly<Record<string, Record<string, unknown>>>;

/** Filters with names, which this browser keeps. */
export function SavedFilters() {
  const { filters, isFiltered } = useFilters();
  const navigate = useNavigate();
  const [saved, setSaved] = useLocalStorage<Saved>({
    key: 'audit-filters',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const toText = (search: Record<string, unknown>) => JSON.stringify(auditSearch(search));
  const chosen = Object.keys(saved).find((name) => toText(saved[name] ?? {}) === toText(filters));
  const open = (name: string) => void navigate({ to: '.', search: auditSearch(saved[name] ?? {}) });
  const save = () =>
    openForm({
      title: 'Save filters',
      hint: 'Only this browser keeps them.',
      fields: { name: { label: 'Name' } },
      notice: 'The filters are saved.',
      isDisabled: ({ name }) => name.trim() === '',
      send: ({ name }) => {
        setSaved((others) => ({ ...others, [name.trim()]: auditSearch(filters) }));
        return Promise.resolve();
      },
    });
  const remove = () => setSaved((all) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== chosen)));
  return (
    <>
      {Object.keys(saved).length > 0 && (
        <NativeSelect
          label="Saved filters"
          value={chosen ?? ''}
          data={[{ value: '', label: 'None' }, ...Object.keys(saved)]}
          onChange={({ currentTarget: { value } }) => open(value)}
        />
      )}
      {chosen !== undefined && (
        <Button variant="default" onClick={remove}>
          Remove from saved filters
        </Button>
      )}
      {isFiltered && chosen === undefined && (
        <Button variant="default" onClick={save}>
          Save filters
        </Button>
      )}
    </>
  );
}
