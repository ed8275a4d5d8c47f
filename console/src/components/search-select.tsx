import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';

interface SearchSelectProps extends Omit<SelectProps, 'data' | 'label'> {
  label?: string;
  /** The options by value, with the chosen one. */
  labels: ReadonlyMap<string, string>;
  /** Called after a pause in typing; undefined: nothing to search. */
  onSearch: (text: string | undefined) => void;
}

/** A choice among records that the server searches. */
export function SearchSelect({ labels, onSearch, value = null, ...props }: SearchSelectProps) {
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim(), 200);
  // After a choice, the input holds its label: then all are listed.
  const isSearch = text !== '' && text !== (value === null ? undefined : labels.get(value));
  useEffect(() => onSearch(isSearch ? text : undefined), [isSearch, text]);
  return (
    <Select
      searchable
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      data={[...labels].map(([id, label]) => ({ value: id, label }))}
      comboboxProps={{ withinPortal: false }}
      clearButtonProps={{ 'aria-label': `Clear ${props.label?.toLowerCase()}` }}
      {...props}
    />
  );
}
