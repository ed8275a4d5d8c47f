import { Alert, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { createApiKey, getApiKey, rotateApiKey, updateApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse, ApiKeyWithSecretResponse } from '../api/generated/types.gen';
import { saveChanges } from '../api/save-changes';
import { DialogForm, openDialog } from '../components/dialog';
import { optionsOf } from '../components/filters';
import { openSecret } from '../components/secret-dialog';
import { OrganizationSelect } from '../organizations/organization-field';
import { KeyFields, keyFields, type KeyValues, useKeyForm } from './key-form';

/** Creates a key for the given organization, or for one that the user chooses. */
export const openCreateKey = (organizationId?: string): string =>
  openDialog('Create key', <CreateKey organizationId={organizationId} />);

function CreateKey({ organizationId }: { organizationId?: string }) {
  const form = useKeyForm(organizationId);
  const create = (values: KeyValues) =>
    createApiKey({ body: { ...keyFields(values), organizationId: values.organizationId ?? '' } });
  return (
    <DialogForm submitLabel="Create key" form={form} send={create} onSuccess={openKeySecret}>
      {organizationId === undefined && <OrganizationSelect {...form.getInputProps('organizationId')} />}
      <KeyFields form={form} />
    </DialogForm>
  );
}

export const openEditKey = (apiKey: ApiKeyResponse): string =>
  openDialog(`Edit key: ${apiKey.name}`, <EditKey apiKey={apiKey} />);

function EditKey({ apiKey }: { apiKey: ApiKeyResponse }) {
  const form = useKeyForm(apiKey.organizationId, apiKey);
  const isDirty = (...fields: string[]) => fields.some((field) => form.isDirty(field));
  /** Sends only what the user changed: an expired key can be renamed, although its expiry is in the past. */
  const save = (values: KeyValues) => {
    const { scopes = null, allowedAddresses = null, expiresAt = null, ...fields } = keyFields(values, apiKey);
    const body = { ...fields, scopes: isDirty('access', 'scopes') ? scopes : undefined, allowedAddresses, expiresAt };
    const { id } = apiKey;
    return saveChanges({
      ...{ id, shown: apiKey, body, reopen: openEditKey },
      read: () => getApiKey({ path: { id } }),
      send: (request) => updateApiKey({ path: { id }, ...request }),
    });
  };
  return (
    <DialogForm
      submitLabel="Save changes"
      form={form}
      notice={
        isDirty('access', 'scopes', 'allowedAddresses')
          ? 'The key was saved. Its new access applies from the next request on.'
          : 'The key was saved.'
      }
      send={save}
    >
      <KeyFields form={form} />
    </DialogForm>
  );
}

export const openRotateKey = (apiKey: ApiKeyResponse): string =>
  openDialog(`Rotate key: ${apiKey.name}`, <RotateKey apiKey={apiKey} />);

const graceLabels = {
  0: 'Immediately',
  3600: 'After 1 hour',
  86400: 'After 24 hours',
  604800: 'After 7 days',
};

function RotateKey({ apiKey: { id, previousSecretExpiresAt } }: { apiKey: ApiKeyResponse }) {
  const form = useForm({ initialValues: { graceSeconds: '86400' } });
  const rotate = ({ graceSeconds }: typeof form.values) =>
    rotateApiKey({ path: { id }, body: { graceSeconds: Number(graceSeconds) } });
  return (
    <DialogForm submitLabel="Rotate key" form={form} send={rotate} onSuccess={openKeySecret}>
      <Text size="sm">The key gets a new secret. Give the partner time to switch.</Text>
      {previousSecretExpiresAt !== undefined && (
        <Alert color="yellow">
          The previous secret of the last rotation still works. It stops working when you rotate the key again.
        </Alert>
      )}
      <Radio.Group label="Previous secret stops working" {...form.getInputProps('graceSeconds')}>
        <Stack gap="xs" mt="xs">
          {optionsOf(graceLabels).map((option) => (
            <Radio key={option.value} {...option} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}

const openKeySecret = ({ apiKey }: ApiKeyWithSecretResponse): void =>
  openSecret({
    what: 'key',
    label: 'API key',
    value: apiKey,
    hint: 'Copy it to a safe place, such as a vault. Requests send it as “Authorization: Bearer <key>”.',
  });
