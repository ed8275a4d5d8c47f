import { Checkbox, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ApiKeyResponse, ApiKeyScope } from '../api/generated/types.gen';
import { fromInput, toInput } from '../components/time';
import { texts } from '../texts';
import { type Access, accessOf, isIncluded, readScopes, scopeGroups } from './scopes';

export interface KeyValues extends Record<string, unknown> {
  organizationId: string | null;
  name: string;
  access: Access;
  scopes: string[];
  /** One address per line. */
  allowedAddresses: string;
  /** The value of a `datetime-local` input. */
  expiresAt: string;
}

/** Returns the form of a new key, or of a stored one. */
export function useKeyForm(organizationId: string | undefined, apiKey?: ApiKeyResponse): UseFormReturnType<KeyValues> {
  return useForm<KeyValues>({
    initialValues: {
      organizationId: organizationId ?? null,
      name: apiKey?.name ?? '',
      access: accessOf(apiKey?.scopes),
      scopes: apiKey?.scopes ?? [...readScopes],
      allowedAddresses: apiKey?.allowedAddresses?.join('\n') ?? '',
      expiresAt: toInput(apiKey?.expiresAt),
    },
  });
}

/** Returns the fields of the form as the API expects them; undefined where the key is not limited. */
export function keyFields({ name, access, scopes, allowedAddresses, expiresAt }: KeyValues) {
  const addresses = allowedAddresses.split(/[\s,]+/).filter((address) => address !== '');
  const chosen = (scopes as ApiKeyScope[]).filter((scope) => !isIncluded(scope, scopes));
  return {
    name,
    scopes: { everything: undefined, read: readScopes, custom: chosen }[access],
    allowedAddresses: addresses.length === 0 ? undefined : addresses,
    expiresAt: fromInput(expiresAt),
  };
}

export function KeyFields({ form }: { form: UseFormReturnType<KeyValues> }) {
  return (
    <>
      <TextInput label={texts.fields.name} data-autofocus {...form.getInputProps('name')} />
      <AccessField form={form} />
      <Textarea
        label={texts.keys.addresses}
        description={texts.keys.addressesHint}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('allowedAddresses')}
      />
      <TextInput
        label={texts.keys.expiry}
        description={texts.keys.expiryHint}
        type="datetime-local"
        {...form.getInputProps('expiresAt')}
      />
    </>
  );
}

function AccessField({ form }: { form: UseFormReturnType<KeyValues> }) {
  const { access } = form.values;
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500} id="access">
        {texts.keys.access}
      </Text>
      <SegmentedControl
        fullWidth
        aria-labelledby="access"
        data={[...texts.keys.accessOptions]}
        {...form.getInputProps('access')}
      />
      <Text size="sm" c="dimmed">
        {texts.keys.accessHint[access]}
      </Text>
      {access === 'custom' && <ScopeField form={form} />}
    </Stack>
  );
}

function ScopeField({ form }: { form: UseFormReturnType<KeyValues> }) {
  return (
    <Checkbox.Group label={texts.keys.scopes} {...form.getInputProps('scopes')}>
      <Stack gap={6} mt={6}>
        {scopeGroups.map(([resource, scopes]) => (
          <Group key={resource} gap="md">
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                size="sm"
                miw={136}
                value={scope}
                label={scope}
                disabled={isIncluded(scope, form.values.scopes)}
              />
            ))}
          </Group>
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
