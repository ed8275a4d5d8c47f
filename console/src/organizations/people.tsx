import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../api/client';
import { createOrganizationAdmin, updateUser } from '../api/generated/sdk.gen';
import type { UserResponse } from '../api/generated/types.gen';
import { queries } from '../api/queries';
import { ConfirmDialog } from '../components/confirm-dialog';
import { FormDialog } from '../components/dialog';
import { Empty } from '../components/empty';
import { type Column, pageSize, QueryList } from '../components/list';
import { RowActions } from '../components/row-actions';
import { Time } from '../components/time';
import { texts } from '../texts';
import { OrganizationStatus } from './organization-status';

interface PeopleProps {
  readonly organizationId: string;
  readonly page: number | undefined;
  readonly onPage: (page: number) => void;
}

export function People({ organizationId, page, onPage }: PeopleProps) {
  const [dialog, setDialog] = useState<UserResponse | 'create'>();
  const onClose = () => setDialog(undefined);
  const list = useQuery(queries.users(organizationId, { page: page ?? 1, limit: pageSize }));
  return (
    <Stack gap="md">
      <Group justify="flex-end">
        <Button onClick={() => setDialog('create')}>{texts.people.create}</Button>
      </Group>
      <QueryList
        label={texts.people.list}
        query={list}
        columns={[...columns, actionsColumn(setDialog)]}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={onPage}
        empty={<Empty title={texts.people.none} hint={texts.people.noneHint} />}
      />
      {dialog === 'create' && <CreateAdminDialog organizationId={organizationId} onClose={onClose} />}
      {typeof dialog === 'object' && <ToggleUserDialog user={dialog} onClose={onClose} />}
    </Stack>
  );
}

const columns: Column<UserResponse>[] = [
  { header: texts.fields.name, cell: ({ name }) => <strong className="break">{name}</strong> },
  { header: texts.fields.email, cell: ({ email }) => <span className="break">{email}</span> },
  { header: texts.fields.role, cell: ({ role }) => texts.roles[role] },
  { header: texts.fields.created, cell: ({ createdAt }) => <Time value={createdAt} as="date" /> },
  { header: texts.fields.status, cell: ({ disabled }) => <OrganizationStatus disabled={disabled} /> },
];

const actionsColumn = (choose: (user: UserResponse) => void): Column<UserResponse> => ({
  header: texts.actions.column,
  className: 'actions',
  cell: (user) => {
    const label = user.disabled ? texts.people.enable : texts.people.disable;
    return (
      <RowActions name={user.name} actions={[{ label, onClick: () => choose(user), isDangerous: !user.disabled }]} />
    );
  },
});

function CreateAdminDialog({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const form = useForm({ initialValues: { name: '', email: '', password: '' } });
  return (
    <FormDialog
      title={texts.people.create}
      onClose={onClose}
      form={form}
      submitLabel={texts.people.create}
      notice={texts.people.created}
      send={(body) => send(createOrganizationAdmin({ path: { organizationId }, body }))}
    >
      <UserFields getInputProps={(name) => form.getInputProps(name)} labels={texts.fields} />
    </FormDialog>
  );
}

function ToggleUserDialog({ user, onClose }: { user: UserResponse; onClose: () => void }) {
  const { _id: userId, disabled, role, name } = user;
  return (
    <ConfirmDialog
      title={disabled ? texts.people.enable : texts.people.disable}
      explanation={disabled ? texts.people.enableHint : texts.people.disableHint(role)}
      name={disabled ? undefined : name}
      notice={disabled ? texts.people.enabled : texts.people.disabled}
      send={() => send(updateUser({ path: { userId }, body: { disabled: !disabled } }))}
      onClose={onClose}
    />
  );
}

interface UserFieldsProps {
  readonly getInputProps: (field: 'name' | 'email' | 'password') => object;
  readonly labels: { readonly name: string; readonly email: string; readonly password: string };
}

/** The fields of a new user. */
export function UserFields({ getInputProps, labels }: UserFieldsProps) {
  return (
    <>
      <TextInput label={labels.name} autoComplete="off" {...getInputProps('name')} />
      <TextInput label={labels.email} type="email" autoComplete="off" {...getInputProps('email')} />
      <PasswordInput
        label={labels.password}
        description={texts.fields.passwordRule}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': texts.actions.showPassword }}
        {...getInputProps('password')}
      />
    </>
  );
}
