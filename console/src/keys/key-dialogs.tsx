import { Alert, Button, Checkbox, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { createApiKey, rotateApiKey, updateApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse, ApiKeyWithSecretResponse } from '../api/generated/types.gen';
import { closeDialog, FormDialog } from '../components/dialog';
import { Copy, Icon, optionsOf } from '../components/ui';
import { OrganizationSelect } from '../organizations/organization-field';
import { texts } from '../texts';
import { KeyFields, keyFields, type KeyValues, useKeyForm } from './key-form';

const labels = texts.keys;

/** Creates a key for the given organization, or for one that the user chooses. */
export function CreateKeyDialog({ organizationId }: { organizationId?: string }) {
  const form = useKeyForm(organizationId);
  const create = (values: KeyValues) =>
    createApiKey({ body: { ...keyFields(values), organizationId: values.organizationId ?? '' } });
  return (
    <FormDialog title={labels.create} form={form} send={create} result={secretResult}>
      {organizationId === undefined && <OrganizationSelect {...form.getInputProps('organizationId')} />}
      <KeyFields form={form} />
    </FormDialog>
  );
}

export function EditKeyDialog({ apiKey }: { apiKey: ApiKeyResponse }) {
  const form = useKeyForm(apiKey.organizationId, apiKey);
  /** Sends only what the user changed: an expired key can be renamed, although its expiry is in the past. */
  const save = (values: KeyValues) => {
    const { name, scopes = null, allowedAddresses = null, expiresAt = null } = keyFields(values);
    const body = {
      name: form.isDirty('name') ? name : undefined,
      scopes: form.isDirty('access') || form.isDirty('scopes') ? scopes : undefined,
      allowedAddresses: form.isDirty('allowedAddresses') ? allowedAddresses : undefined,
      expiresAt: form.isDirty('expiresAt') ? expiresAt : undefined,
    };
    return updateApiKey({ path: { id: apiKey.id }, body });
  };
  return (
    <FormDialog title={labels.edit} submitLabel={texts.save} form={form} notice={labels.saved} send={save}>
      <KeyFields form={form} />
    </FormDialog>
  );
}

export function RotateKeyDialog({ apiKey: { id, previousSecretExpiresAt } }: { apiKey: ApiKeyResponse }) {
  const form = useForm({ initialValues: { graceSeconds: '86400' } });
  const rotate = ({ graceSeconds }: typeof form.values) =>
    rotateApiKey({ path: { id }, body: { graceSeconds: Number(graceSeconds) } });
  return (
    <FormDialog title={labels.rotate} form={form} send={rotate} result={secretResult}>
      <Text size="sm">{labels.rotateHint}</Text>
      {previousSecretExpiresAt !== undefined && <Alert color="yellow">{labels.rotateInGrace}</Alert>}
      <Radio.Group label={labels.grace} {...form.getInputProps('graceSeconds')}>
        <Stack gap="xs" mt="xs">
          {optionsOf(labels.graceOptions).map((option) => (
            <Radio key={option.value} {...option} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}

const secretResult = {
  title: labels.newSecretTitle,
  render: ({ apiKey }: ApiKeyWithSecretResponse) => <SecretStep secret={apiKey} />,
};

/** Shows a new secret once. No key, link or Back leaves it before the user has confirmed that it is stored. */
function SecretStep({ secret }: { secret: string }) {
  const [isStored, setStored] = useState(false);
  useBlocker({ shouldBlockFn: () => !isStored, enableBeforeUnload: !isStored });
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />}>
        {labels.newSecretHint}
      </Alert>
      <Textarea
        label={labels.secret}
        styles={{ input: { fontFamily: 'monospace', wordBreak: 'break-all' } }}
        readOnly
        autosize
        autoFocus
        value={secret}
      />
      <Group>
        <Copy value={secret} what={labels.secretToCopy} size="sm" />
      </Group>
      <Checkbox label={labels.stored} checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={closeDialog}>
          {texts.close}
        </Button>
      </Group>
    </Stack>
  );
}
