import { Alert, Button, Checkbox, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { ApiKeyWithSecretResponse } from '../api/generated/types.gen';
import { Copy } from '../components/copy';
import { Icon } from '../components/icons';
import { texts } from '../texts';

/** Shows a new secret once. The dialog closes only after the user has confirmed that it is stored. */
export const secretResult = (onClose: () => void) => ({
  title: texts.keys.newSecretTitle,
  render: ({ apiKey }: ApiKeyWithSecretResponse) => <SecretStep secret={apiKey} onClose={onClose} />,
});

function SecretStep({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [isStored, setStored] = useState(false);
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />}>
        {texts.keys.newSecretHint}
      </Alert>
      <Textarea
        label={texts.keys.secret}
        readOnly
        autosize
        value={secret}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', wordBreak: 'break-all' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group>
        <Copy value={secret} what={texts.keys.secretToCopy} isProminent />
      </Group>
      <Checkbox
        label={texts.keys.stored}
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button variant="default" disabled={!isStored} onClick={onClose}>
          {texts.actions.close}
        </Button>
      </Group>
    </Stack>
  );
}
