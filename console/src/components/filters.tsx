import { NativeSelect, type NativeSelectProps, Select, type SelectProps, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { isOutage } from '../api/client';
import { useFilters } from '../search';
import { Icon } from './ui';

/** Searches while the user types. The text of the URL is the searched one. */
export function SearchField({ label, maxLength = 120 }: { label: string; maxLength?: number }) {
  const { filters, change } = useFilters();
  const { search = '' } = filters;
  const [typed, setTyped] = useState(search);
  const find = useDebouncedCallback((text: string) => change({ search: text.trim() || undefined }), 250);
  useEffect(() => {
    // Not while the user types a space, which the search leaves out.
    setTyped((text) => (text.trim() === search ? text : search));
  }, [search]);
  return (
    <TextInput
      type="search"
      w="100%"
      maw={400}
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" />}
      maxLength={maxLength}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        find(value);
      }}
    />
  );
}

/** Returns the options of a control from labels by value. */
export const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  (Object.entries(labels) as [Value, string][]).map(([value, label]) => ({ value, label }));

interface FilterSelectProps extends Pick<NativeSelectProps, 'label' | 'aria-label' | 'w'> {
  /** The parameter of the URL. */
  name: 'action' | 'filter' | 'outcome' | 'status';
  /** The option that shows everything. */
  all: string;
  labels: Readonly<Record<string, string>>;
}

/** Chooses one of a few values to filter a list by, or none. */
export function FilterSelect({ name, all, labels, ...props }: FilterSelectProps) {
  const { filters, change } = useFilters();
  return (
    <NativeSelect
      {...props}
      value={filters[name] ?? ''}
      data={[{ value: '', label: all }, ...optionsOf(labels)]}
      onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
    />
  );
}

interface SearchSelectProps extends Omit<SelectProps, 'data' | 'nothingFoundMessage'> {
  label: string;
  /** The options by value, with the chosen one. */
  labels: ReadonlyMap<string, string>;
  /** Called after a pause in typing; undefined: nothing to search. */
  onSearch: (text: string | undefined) => void;
  /** Why the search failed; an outage is shown once for the whole page. */
  failure: { readonly message: string } | null;
}

/** A choice among records that the server searches. */
export function SearchSelect({ labels, onSearch, failure, value = null, ...props }: SearchSelectProps) {
  const find = useDebouncedCallback((typed: string) => {
    const text = typed.trim();
    // After a choice, the input holds its label: then all are listed.
    onSearch(text === '' || text === labels.get(value ?? '') ? undefined : text);
  }, 200);
  return (
    <Select
      searchable
      value={value}
      onSearchChange={find}
      filter={({ options }) => options}
      data={[...labels].map(([id, label]) => ({ value: id, label }))}
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={`No ${props.label.toLowerCase()} found`}
      error={isOutage(failure) ? undefined : failure?.message}
      clearButtonProps={{ 'aria-label': `Clear ${props.label.toLowerCase()}` }}
      {...props}
    />
  );
}
