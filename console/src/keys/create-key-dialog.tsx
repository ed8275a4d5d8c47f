import { send } from '../api/client';
import { createApiKey } from '../api/generated/sdk.gen';
import { FormDialog } from '../components/dialog';
import { OrganizationSelect } from '../organizations/organization-select';
import { texts } from '../texts';
import { KeyFields, keyFields, type KeyValues, useKeyForm } from './key-form';
import { secretResult } from './secret-step';

interface CreateKeyDialogProps {
  /** Undefined: the user chooses. */
  readonly organizationId: string | undefined;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ organizationId, onClose }: CreateKeyDialogProps) {
  const form = useKeyForm(organizationId);
  const create = (values: KeyValues) =>
    send(createApiKey({ body: { ...keyFields(values), organizationId: values.organizationId ?? '' } }));
  return (
    <FormDialog
      title={texts.keys.create}
      onClose={onClose}
      form={form}
      submitLabel={texts.keys.create}
      send={create}
      result={secretResult(onClose)}
    >
      {organizationId === undefined && <OrganizationSelect {...form.getInputProps('organizationId')} />}
      <KeyFields form={form} />
    </FormDialog>
  );
}
