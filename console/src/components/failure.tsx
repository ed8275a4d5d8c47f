import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { ApiError } from '../api/client';
import { texts } from '../texts';
import { Copy } from './copy';
import { Icon } from './icons';

/** Shows why a call failed, the request ID to report it with, and a button to try again. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const traceId = error instanceof ApiError ? error.traceId : undefined;
  return (
    <Alert role="alert" className="surface failure" color="red" icon={<Icon name="warning" />} title={error.message}>
      <Stack gap="xs" align="flex-start">
        {traceId !== undefined && (
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {texts.errors.requestId}
            </Text>
            <Code className="break">{traceId}</Code>
            <Copy value={traceId} what={texts.errors.requestIdToCopy} />
          </Group>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {texts.actions.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
