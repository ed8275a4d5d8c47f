import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  readonly hint: string;
  readonly children?: ReactNode;
}

/** Says why there is nothing to see, and what to do next. */
export function Empty({ title, hint, children }: EmptyProps) {
  return (
    <Stack className="surface" align="center" gap="xs" py={48} px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" maw={440}>
        {hint}
      </Text>
      {children}
    </Stack>
  );
}
