import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listOrganizationUsersQuery } from '../api/generated/@tanstack/react-query.gen';
import { createOrganizationAdmin } from '../api/generated/sdk.gen';
import { pageSize } from '../components/list';
import { roleLabels } from '../components/ui';
import { useFilters } from '../search';
import { openCreateUser, UserList } from '../super-admins/user-list';

export function People(path: { organizationId: string }) {
  const { page } = useFilters().filters;
  const list = useQuery(listOrganizationUsersQuery({ path, query: { page, limit: pageSize } }));
  const openCreate = () => openCreateUser('Create admin', (body) => createOrganizationAdmin({ path, body }));
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          They can sign in for the organization. Players are in the tab “Data”.
        </Text>
        <Button onClick={openCreate}>Create admin</Button>
      </Group>
      <UserList
        label="People"
        query={list}
        column={['Role', ({ role }) => roleLabels[role]]}
        empty={['No people', 'Create an admin for this organization.']}
      />
    </Stack>
  );
}
