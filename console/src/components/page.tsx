import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Sets the document title, and moves the focus to the heading, so that screen readers announce the new page. */
export function Page({ title, description, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useDocumentTitle(`${title} · Flag Football console`);
  return (
    <Stack gap="lg" maw={1440} mx="auto">
      <Group justify="space-between" align="flex-start">
        <Stack gap={2} miw={0}>
          <Title order={1} ref={heading} tabIndex={-1} className="break" style={{ outline: 'none' }}>
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {description}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** A part of a page with a heading of its own. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between" mih={24}>
        <Title order={2}>{title}</Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}
