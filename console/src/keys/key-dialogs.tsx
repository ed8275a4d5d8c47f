import { Alert, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { send } from '../api/client';
import { endGracePeriod, revokeApiKey, rotateApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { ConfirmDialog } from '../components/confirm-dialog';
import { FormDialog } from '../components/dialog';
import { texts } from '../texts';
import { secretResult } from './secret-step';

interface KeyDialogProps {
  readonly apiKey: ApiKeyResponse;
  readonly onClose: () => void;
}

export function RotateKeyDialog({ apiKey: { id, previousSecretExpiresAt }, onClose }: KeyDialogProps) {
  const form = useForm({ initialValues: { graceSeconds: '86400' } });
  return (
    <FormDialog
      title={texts.keys.rotate}
      onClose={onClose}
      form={form}
      submitLabel={texts.keys.rotate}
      send={({ graceSeconds }) => send(rotateApiKey({ path: { id }, body: { graceSeconds: Number(graceSeconds) } }))}
      result={secretResult(onClose)}
    >
      <Text size="sm">{texts.keys.rotateHint}</Text>
      {previousSecretExpiresAt !== undefined && <Alert color="yellow">{texts.keys.rotateGrace}</Alert>}
      <Radio.Group label={texts.keys.grace} {...form.getInputProps('graceSeconds')}>
        <Stack gap="xs" mt="xs">
          {texts.keys.graceOptions.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}

export function EndGraceDialog({ apiKey: { id }, onClose }: KeyDialogProps) {
  return (
    <ConfirmDialog
      title={texts.keys.endGrace}
      explanation={texts.keys.endGraceHint}
      notice={texts.keys.graceEnded}
      send={() => send(endGracePeriod({ path: { id } }))}
      onClose={onClose}
    />
  );
}

export function RevokeKeyDialog({ apiKey: { id, name }, onClose }: KeyDialogProps) {
  return (
    <ConfirmDialog
      title={texts.keys.revoke}
      explanation={texts.keys.revokeHint}
      name={name}
      notice={texts.keys.revoked}
      send={() => send(revokeApiKey({ path: { id } }))}
      onClose={onClose}
    />
  );
}
