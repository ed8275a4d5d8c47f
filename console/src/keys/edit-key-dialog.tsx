import { send } from '../api/client';
import { updateApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { FormDialog } from '../components/dialog';
import { texts } from '../texts';
import { KeyFields, keyFields, type KeyValues, useKeyForm } from './key-form';

export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKeyResponse; onClose: () => void }) {
  const form = useKeyForm(apiKey.organizationId, apiKey);
  /** Sends only what the user changed: an expired key can be renamed, although its expiry is in the past. */
  const save = (values: KeyValues) => {
    const { name, scopes, allowedAddresses, expiresAt } = keyFields(values);
    const areScopesDirty = form.isDirty('access') || form.isDirty('scopes');
    const body = {
      ...(form.isDirty('name') && { name }),
      ...(areScopesDirty && { scopes: scopes ?? null }),
      ...(form.isDirty('allowedAddresses') && { allowedAddresses: allowedAddresses ?? null }),
      ...(form.isDirty('expiresAt') && { expiresAt: expiresAt ?? null }),
    };
    return send(updateApiKey({ path: { id: apiKey.id }, body }));
  };
  return (
    <FormDialog
      title={texts.keys.edit}
      onClose={onClose}
      form={form}
      submitLabel={texts.actions.save}
      notice={texts.keys.saved}
      send={save}
    >
      <KeyFields form={form} />
    </FormDialog>
  );
}
