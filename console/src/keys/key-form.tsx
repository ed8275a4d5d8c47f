import { Checkbox, Input, SegmentedControl, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ApiKeyResponse, ApiKeyScope } from '../api/generated/types.gen';
import { optionsOf } from '../components/filters';
import { fromInput, toInput } from '../components/time';
import { accessLabels, accessOf, actionLabel, isIncluded, readScopes, resourceLabel, scopeGroups } from './key-rules';

/** Returns the form of a new key, or of a stored one. Addresses have a line each. */
export const useKeyForm = (organizationId: string | undefined, apiKey?: ApiKeyResponse) =>
  useForm({
    initialValues: {
      organizationId: organizationId ?? null,
      name: apiKey?.name ?? '',
      access: apiKey ? accessOf(apiKey.scopes) : 'read',
      scopes: [...(apiKey?.scopes ?? readScopes)],
      allowedAddresses: apiKey?.allowedAddresses?.join('\n') ?? '',
      expiresAt: toInput(apiKey?.expiresAt),
    },
  });

type KeyForm = ReturnType<typeof useKeyForm>;
export type KeyValues = KeyForm['values'];

const addressesOf = (text: string) => text.split(/[\s,]+/).filter((address) => address !== '');

/** Returns the fields of the form as the API expects them; undefined where the key is not limited. */
export function keyFields({ name, access, scopes, allowedAddresses, expiresAt }: KeyValues, stored?: ApiKeyResponse) {
  const addresses = addressesOf(allowedAddresses);
  const custom = scopes.filter((scope) => !isIncluded(scope, scopes));
  return {
    name,
    scopes: { everything: undefined, read: readScopes, custom }[access],
    allowedAddresses: addresses.length === 0 ? undefined : addresses,
    expiresAt: fromInput(expiresAt, stored?.expiresAt),
  };
}

export function KeyFields({ form }: { form: KeyForm }) {
  /** Writes one address per line, so that an error can name its line. The field keeps its height: a button would move away. */
  const writeLines = () => {
    const lines = addressesOf(form.values.allowedAddresses).join('\n');
    if (lines !== form.values.allowedAddresses) form.setFieldValue('allowedAddresses', lines);
  };
  return (
    <>
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <AccessField form={form} />
      <Textarea
        label="Allowed IP addresses"
        description="One IP address or network per line, such as 203.0.113.7 or 2001:db8::/32. Leave empty to allow any IP address."
        rows={4}
        styles={{ error: { whiteSpace: 'pre-line' } }}
        {...form.getInputProps('allowedAddresses')}
        onBlur={writeLines}
      />
      <TextInput
        label="Expires at"
        description="In your time zone. Leave empty for a key that does not expire."
        type="datetime-local"
        {...form.getInputProps('expiresAt')}
      />
    </>
  );
}

const accessHints = {
  everything: 'Can read and write all data of the organization.',
  read: 'Can read everything.',
  custom: 'Only the scopes you select.',
};

function AccessField({ form }: { form: KeyForm }) {
  const { access, scopes } = form.values;
  /** “All” would only repeat “Read” and “Write”, but a key can have it already. */
  const isOffered = (scope: ApiKeyScope) => !scope.endsWith(':*') || form.getInitialValues().scopes.includes(scope);
  return (
    <Stack gap={6}>
      <Input.Wrapper label="Access" labelElement="div" description={accessHints[access]}>
        <SegmentedControl
          fullWidth
          mt={4}
          styles={{ label: { paddingInline: 4 } }}
          aria-label="Access"
          data={optionsOf(accessLabels)}
          {...form.getInputProps('access')}
        />
      </Input.Wrapper>
      {access === 'custom' && (
        <Checkbox.Group label="Scopes" description="“Write” includes deletions." {...form.getInputProps('scopes')}>
          <Stack gap={8} mt={6}>
            {[...scopeGroups].map(([resource, group]) => (
              <SimpleGrid
                key={resource}
                role="group"
                aria-label={resourceLabel(resource)}
                cols={{ base: 2, xs: 3 }}
                spacing="xs"
                verticalSpacing={4}
              >
                <Text size="sm" className="scope-name">
                  {resourceLabel(resource)}
                </Text>
                {group.filter(isOffered).map((scope) => (
                  <Checkbox
                    key={scope}
                    value={scope}
                    title={scope}
                    label={actionLabel(scope)}
                    disabled={isIncluded(scope, scopes)}
                  />
                ))}
              </SimpleGrid>
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
