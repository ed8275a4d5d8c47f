import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listOrganizationUsersQuery } from '../api/generated/@tanstack/react-query.gen';
import { createOrganizationAdmin, updateUser } from '../api/generated/sdk.gen';
import type { UserResponse } from '../api/generated/types.gen';
import { openForm, withConfirmation } from '../components/dialog';
import { actionsColumn, type Column, pageSize, type Paging, QueryList } from '../components/list';
import { Time } from '../components/time';
import { AccountStatus, roleLabels, type RowAction } from '../components/ui';
import { linkHint, openPasswordLink, passwordLinkAction } from '../super-admins/password-link';

const userColumns: Column<UserResponse>[] = [
  ['Name', ({ name }) => <strong className="break">{name}</strong>],
  ['Email', ({ email }) => <span className="break wide">{email}</span>],
  ['Role', ({ role }) => roleLabels[role]],
  ['Created', ({ createdAt }) => <Time value={createdAt} as="date" />, 'nowrap'],
  ['Status', ({ disabled }) => <AccountStatus disabled={disabled} />],
];

const enableUser = {
  label: 'Enable user',
  hint: 'They can sign in again. Earlier sessions stay signed out.',
  notice: 'The user is enabled and can sign in again.',
};

const disableUser = {
  label: 'Disable user',
  hint: 'They are signed out immediately and cannot sign in until you enable them again.',
  notice: 'The user is disabled.',
  isDangerous: true,
};

const disableCreator = {
  ...disableUser,
  hint: 'They are signed out immediately and cannot sign in. All keys of the organization stop working too.',
};

/** Returns what super admins do with a user. */
export function userActions(user: UserResponse): RowAction[] {
  const { _id: userId, name, role, disabled } = user;
  const toggle = withConfirmation({
    ...(disabled ? enableUser : role === 'organizationCreator' ? disableCreator : disableUser),
    subject: name,
    send: () => updateUser({ path: { userId }, body: { disabled: !disabled } }),
  });
  return disabled ? [toggle] : [passwordLinkAction(user), toggle];
}

export function People({ organizationId, page, onPage }: { organizationId: string } & Paging) {
  const path = { organizationId };
  const list = useQuery(listOrganizationUsersQuery({ path, query: { page, limit: pageSize } }));
  const create = () =>
    openForm({
      title: 'Create admin',
      hint: linkHint,
      fields: { name: { label: 'Name' }, email: { label: 'Email', type: 'email' } },
      send: async (body) => openPasswordLink(body.name, (await createOrganizationAdmin({ path, body })).passwordReset),
    });
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={create}>Create admin</Button>
      </Group>
      <QueryList
        label="People"
        query={list}
        columns={[...userColumns, actionsColumn((user: UserResponse) => [user.name, ...userActions(user)])]}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={onPage}
        empty={['No people', 'Create an admin for this organization.']}
      />
    </Stack>
  );
}
