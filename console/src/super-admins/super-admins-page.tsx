import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SecondFactorStatus } from '../account/second-factor';
import { listUsersQuery } from '../api/generated/@tanstack/react-query.gen';
import { createSuperAdmin } from '../api/generated/sdk.gen';
import { pageSize } from '../components/list';
import { Page } from '../components/page';
import { openCreateUser, UserList } from './user-list';

const route = getRouteApi('/super-admins');

export function SuperAdminsPage() {
  const { page } = route.useSearch();
  const list = useQuery(listUsersQuery({ query: { role: 'superAdmin', page, limit: pageSize } }));
  const openAdd = () => openCreateUser('Add super admin', (body) => createSuperAdmin({ body }));
  return (
    <Page
      title="Super admins"
      description="They use this console, and manage all organizations."
      actions={<Button onClick={openAdd}>Add super admin</Button>}
    >
      <UserList
        label="Super admins"
        query={list}
        column={['Second factor', ({ hasSecondFactor }) => <SecondFactorStatus isOn={hasSecondFactor} />]}
        empty={['No super admins', 'Add one, so that there is someone else when you are away.']}
      />
    </Page>
  );
}
