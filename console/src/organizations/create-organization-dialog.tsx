import { Fieldset, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { send } from '../api/client';
import { createOrganization } from '../api/generated/sdk.gen';
import { FormDialog } from '../components/dialog';
import { showNotice } from '../components/notice';
import { texts } from '../texts';
import { UserFields } from './people';

/** Creates an organization with its creator, and continues with its keys. */
export function CreateOrganizationDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({ initialValues: { name: '', creator: { name: '', email: '', password: '' } } });
  const create = async (body: typeof form.values) => {
    const { _id, name } = await send(createOrganization({ body }));
    showNotice(texts.organizations.created(name));
    void navigate({ to: '/organizations/$organizationId', params: { organizationId: _id }, search: { tab: 'keys' } });
  };
  return (
    <FormDialog
      title={texts.organizations.create}
      onClose={onClose}
      form={form}
      submitLabel={texts.organizations.create}
      send={create}
    >
      <TextInput label={texts.fields.name} data-autofocus {...form.getInputProps('name')} />
      <Fieldset legend={texts.organizations.creator}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {texts.organizations.creatorHint}
          </Text>
          <UserFields
            getInputProps={(field) => form.getInputProps(`creator.${field}`)}
            labels={texts.organizations.creatorFields}
          />
        </Stack>
      </Fieldset>
    </FormDialog>
  );
}
