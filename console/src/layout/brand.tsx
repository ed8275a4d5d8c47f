import { Group, Text } from '@mantine/core';
import { texts } from '../texts';

/** A flag on its pole, and the name of the console. */
export function Brand() {
  return (
    <Group gap="xs" wrap="nowrap">
      <svg aria-hidden="true" width="26" height="26" viewBox="0 0 26 26">
        <rect width="26" height="26" rx="7" fill="var(--mantine-color-indigo-7)" />
        <path d="M8 5.5v15M8 6.5c4-2 6 2 10.5 0v7.5c-4.5 2-6.5-2-10.5 0" fill="none" stroke="#fff" strokeWidth="1.9" />
      </svg>
      <Text fw={650} style={{ whiteSpace: 'nowrap' }}>
        {texts.product}
      </Text>
    </Group>
  );
}
