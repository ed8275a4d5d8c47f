import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { send } from '../api/client';
import { updateOrganization } from '../api/generated/sdk.gen';
import type { OrganizationResponse, UpdateOrganization } from '../api/generated/types.gen';
import { ConfirmDialog } from '../components/confirm-dialog';
import { FormDialog } from '../components/dialog';
import { texts } from '../texts';

interface OrganizationDialogProps {
  readonly organization: OrganizationResponse;
  readonly onClose: () => void;
}

function update({ _id: organizationId }: OrganizationResponse, body: UpdateOrganization) {
  return send(updateOrganization({ path: { organizationId }, body }));
}

export function RenameOrganizationDialog({ organization, onClose }: OrganizationDialogProps) {
  const form = useForm({ initialValues: { name: organization.name } });
  return (
    <FormDialog
      title={texts.organizations.rename}
      onClose={onClose}
      form={form}
      submitLabel={texts.organizations.rename}
      notice={texts.organizations.renamed}
      send={(body) => update(organization, body)}
    >
      <TextInput label={texts.fields.name} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  );
}

/** Disables an enabled organization and enables a disabled one. */
export function ToggleOrganizationDialog({ organization, onClose }: OrganizationDialogProps) {
  const { disabled, name } = organization;
  return (
    <ConfirmDialog
      title={disabled ? texts.organizations.enable : texts.organizations.disable}
      explanation={disabled ? texts.organizations.enableHint : texts.organizations.disableHint}
      name={disabled ? undefined : name}
      notice={disabled ? texts.organizations.enabled : texts.organizations.disabled}
      send={() => update(organization, { disabled: !disabled })}
      onClose={onClose}
    />
  );
}
