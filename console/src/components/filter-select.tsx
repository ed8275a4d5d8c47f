import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { optionsOf } from './ui';

interface FilterSelectProps<Value extends string> extends Pick<NativeSelectProps, 'label' | 'aria-label' | 'w'> {
  /** The option that shows everything. */
  all: string;
  labels: Readonly<Record<Value, string>>;
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
}

/** Chooses one of a few values to filter a list by, or none. */
export function FilterSelect<Value extends string>({
  all,
  labels,
  value,
  onChange,
  ...props
}: FilterSelectProps<Value>) {
  const options = optionsOf(labels);
  return (
    <NativeSelect
      {...props}
      value={value ?? ''}
      data={[{ value: '', label: all }, ...options]}
      onChange={(event) => onChange(options.find((option) => option.value === event.currentTarget.value)?.value)}
    />
  );
}
