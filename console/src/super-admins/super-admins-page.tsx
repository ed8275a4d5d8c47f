import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSelector } from '@tanstack/react-store';
import { getRouteApi } from '@tanstack/react-router';
import { listUsersQuery } from '../api/generated/@tanstack/react-query.gen';
import { createSuperAdmin } from '../api/generated/sdk.gen';
import type { UserResponse } from '../api/generated/types.gen';
import { sessionAtom } from '../api/session';
import { openForm } from '../components/dialog';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { AccountStatus, Status } from '../components/ui';
import { userActions } from '../organizations/people';
import { linkHint, openPasswordLink } from './password-link';

const route = getRouteApi('/super-admins');

const columns: Column<UserResponse>[] = [
  ['Email', ({ email }) => <span className="break wide">{email}</span>],
  ['Second factor', ({ hasSecondFactor }) => <SecondFactorStatus isOn={hasSecondFactor} />],
  ['Created', ({ createdAt }) => <Time value={createdAt} as="date" />, 'nowrap'],
  ['Status', ({ disabled }) => <AccountStatus disabled={disabled} />],
];

const SecondFactorStatus = ({ isOn }: { isOn: boolean }) => (
  <Status tone={isOn ? 'good' : 'neutral'}>{isOn ? 'On' : 'Off'}</Status>
);

export function SuperAdminsPage() {
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const { email: own } = useSelector(sessionAtom);
  const list = useQuery(listUsersQuery({ query: { role: 'superAdmin', page, limit: pageSize } }));
  const nameColumn: Column<UserResponse> = [
    'Name',
    ({ name, email }) => (
      <span className="break">
        <strong>{name}</strong>
        {email === own && ' (you)'}
      </span>
    ),
  ];
  /** Nobody can disable themselves or use a link instead of the current password. */
  const actions = actionsColumn((user: UserResponse) => [user.name, ...(user.email === own ? [] : userActions(user))]);
  return (
    <Page
      title="Super admins"
      description="They use this console, and manage all organizations."
      actions={<Button onClick={openAdd}>Add super admin</Button>}
    >
      <QueryList
        label="Super admins"
        query={list}
        columns={[nameColumn, ...columns, actions]}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={['No super admins', 'Add one, so that there is someone else when you are away.']}
      />
    </Page>
  );
}

const openAdd = (): string =>
  openForm({
    title: 'Add super admin',
    hint: linkHint,
    fields: { name: { label: 'Name' }, email: { label: 'Email', type: 'email' } },
    send: async (body) => openPasswordLink(body.name, (await createSuperAdmin({ body })).passwordReset),
  });
