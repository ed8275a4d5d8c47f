import { Alert, Button, Checkbox, Group, Stack, Textarea } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { download } from './csv';
import { Copy, Icon } from './ui';

const modalId = 'secret';

interface SecretProps {
  /** What it is, in the title, the button and the checkbox. */
  what: string;
  /** The label of the field. */
  label: string;
  value: string;
  /** Where to store it, or what to do with it. */
  hint: string;
  /** The name of the file to download it as. */
  fileName?: string;
  /** Called once it is stored. */
  onClose?: () => void;
}

/** Shows a new secret once. No key, link or Back leaves it before the user has confirmed that it is stored. */
export function openSecret(props: SecretProps): void {
  modals.open({
    modalId,
    title: `Store the ${props.what} now`,
    closeOnEscape: false,
    withCloseButton: false,
    onClose: props.onClose,
    children: <Secret {...props} />,
  });
}

function Secret({ what, label, value, hint, fileName }: SecretProps) {
  const [isStored, setStored] = useState(false);
  useBlocker({ shouldBlockFn: () => !isStored, enableBeforeUnload: !isStored });
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />}>
        You cannot see the {what} again. {hint}
      </Alert>
      <Textarea
        label={label}
        styles={{ input: { fontFamily: 'monospace', wordBreak: 'break-all' } }}
        readOnly
        autosize
        autoFocus
        value={value}
      />
      <Group>
        <Copy value={value} what={what} size="sm" />
        {fileName !== undefined && (
          <Button size="sm" variant="light" onClick={() => download(fileName, 'text/plain', `${value}\n`)}>
            Download {what}
          </Button>
        )}
      </Group>
      <Checkbox
        label={`I have stored the ${what}`}
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={() => modals.close(modalId)}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
