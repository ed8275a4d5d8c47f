import { Center, Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Brand } from './shell';

/** The frame of a page that needs no session: a card in the middle, and what stands below it. */
export function SignedOutPage({ below, children }: { below?: ReactNode; children: ReactNode }) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400}>
        <Brand />
        <Paper className="surface" p="xl">
          {children}
        </Paper>
        {below}
      </Stack>
    </Center>
  );
}
