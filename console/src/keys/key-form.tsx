import { Checkbox, Input, SegmentedControl, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ApiKeyResponse, ApiKeyScope } from '../api/generated/types.gen';
import { fromInput, toInput } from '../components/time';
import { optionsOf } from '../components/ui';
import { texts } from '../texts';
import { type Access, accessOf, isIncluded, readScopes, scopeGroups } from './key-rules';

const labels = texts.keys;

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

type KeyForm = UseFormReturnType<KeyValues>;

/** Returns the form of a new key, or of a stored one. */
export const useKeyForm = (organizationId: string | undefined, apiKey?: ApiKeyResponse): KeyForm =>
  useForm<KeyValues>({
    initialValues: {
      organizationId: organizationId ?? null,
      name: apiKey?.name ?? '',
      access: apiKey ? accessOf(apiKey.scopes) : 'read',
      scopes: [...(apiKey?.scopes ?? readScopes)],
      allowedAddresses: apiKey?.allowedAddresses?.join('\n') ?? '',
      expiresAt: toInput(apiKey?.expiresAt),
    },
  });

/** Returns the fields of the form as the API expects them; undefined where the key is not limited. */
export function keyFields({ name, access, scopes, allowedAddresses, expiresAt }: KeyValues) {
  const addresses = allowedAddresses.split(/[\s,]+/).filter((address) => address !== '');
  const custom = (scopes as ApiKeyScope[]).filter((scope) => !isIncluded(scope, scopes));
  return {
    name,
    scopes: { everything: undefined, read: readScopes, custom }[access],
    allowedAddresses: addresses.length === 0 ? undefined : addresses,
    expiresAt: fromInput(expiresAt),
  };
}

export function KeyFields({ form }: { form: KeyForm }) {
  return (
    <>
      <TextInput label={texts.fields.name} data-autofocus {...form.getInputProps('name')} />
      <AccessField form={form} />
      <Textarea
        label={labels.addresses}
        description={labels.addressesHint}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('allowedAddresses')}
      />
      <TextInput
        label={labels.expiry}
        description={labels.expiryHint}
        type="datetime-local"
        {...form.getInputProps('expiresAt')}
      />
    </>
  );
}

function AccessField({ form }: { form: KeyForm }) {
  const { access, scopes } = form.values;
  const control = { 'aria-label': labels.access, data: optionsOf(labels.accessOptions) };
  return (
    <Stack gap={6}>
      <Input.Wrapper label={labels.access} labelElement="div" description={labels.accessHint[access]}>
        <SegmentedControl fullWidth mt={4} {...control} {...form.getInputProps('access')} />
      </Input.Wrapper>
      {access === 'custom' && (
        <Checkbox.Group label={labels.scopes} {...form.getInputProps('scopes')}>
          <Stack gap={8} mt={6}>
            {[...scopeGroups].map(([resource, group]) => (
              <SimpleGrid key={resource} cols={{ base: 2, xs: 3 }} spacing="xs" verticalSpacing={8}>
                {group.map((scope) => (
                  <Checkbox key={scope} value={scope} label={scope} disabled={isIncluded(scope, scopes)} />
                ))}
              </SimpleGrid>
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
