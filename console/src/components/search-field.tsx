import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { Icon } from './ui';

interface SearchFieldProps {
  label: string;
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
}

/** Searches while the user types. The text of the URL is the searched one. */
export function SearchField({ label, value = '', onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const find = useDebouncedCallback((text: string) => onSearch(text.trim() || undefined), 250);
  const change = (text: string) => {
    setTyped(text);
    find(text);
  };
  useEffect(() => {
    // Not while the user types a space, which the search leaves out.
    setTyped((text) => (text.trim() === value ? text : value));
  }, [value]);
  return (
    <TextInput
      type="search"
      w="100%"
      maw={400}
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" />}
      maxLength={120}
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
