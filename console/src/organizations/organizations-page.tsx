import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { listOrganizationsQuery } from '../api/generated/@tanstack/react-query.gen';
import { createOrganization } from '../api/generated/sdk.gen';
import type { OrganizationResponse } from '../api/generated/types.gen';
import { openForm, showNotice } from '../components/dialog';
import { SearchField } from '../components/filters';
import { type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { AccountStatus } from '../components/ui';
import { openPasswordLink } from '../super-admins/password-link';
import { OrganizationLink } from './organization-field';

const route = getRouteApi('/organizations');

const columns: Column<OrganizationResponse>[] = [
  ['Name', ({ _id, name, isSandbox }) => <OrganizationLink id={_id} name={name} isSandbox={isSandbox} />],
  ['Creator', ({ creator }) => creator?.name ?? '–'],
  ['Email', ({ creator }) => <span className="break wide">{creator?.email ?? '–'}</span>],
  ['Created', ({ createdAt }) => <Time value={createdAt} as="date" />, 'nowrap'],
  ['Status', (organization) => <AccountStatus {...organization} />],
];

export function OrganizationsPage() {
  const { search, page } = route.useSearch();
  const list = useQuery(listOrganizationsQuery({ query: { page, limit: pageSize, search } }));
  return (
    <Page
      title="Organizations"
      description="Each organization has its own data, people and keys."
      actions={<CreateOrganization />}
    >
      <SearchField label="Search organizations" />
      <QueryList
        label="Organizations"
        query={list}
        columns={columns}
        rowKey={({ _id }) => _id}
        isPaged
        empty={['No organizations yet', 'Create the first one together with its creator, then give it a key.']}
        noMatch={['No matching organizations', 'Try another name or clear the search.', 'Clear search']}
      />
    </Page>
  );
}

/** Creates an organization with its creator, and continues with its keys. */
export function CreateOrganization() {
  const navigate = useNavigate();
  const create = () =>
    openForm({
      title: 'Create organization',
      hint: 'Its API keys act on behalf of its creator, who sets a password with a link that you get in the next step.',
      fields: {
        name: { label: 'Organization name' },
        creatorName: { label: 'Creator’s name' },
        creatorEmail: { label: 'Creator’s email', type: 'email' },
        sandbox: { label: 'Sandbox: for tests, with test keys. It cannot be changed later.', type: 'checkbox' },
      },
      send: async ({ name, creatorName, creatorEmail, sandbox }) => {
        const creator = { name: creatorName, email: creatorEmail };
        const body = { name, creator, isSandbox: sandbox !== '' };
        const { _id: organizationId, passwordReset } = await createOrganization({ body });
        openPasswordLink(creatorName, passwordReset, () => {
          showNotice(`${name} was created. Create a key for it next.`);
          const target = { to: '/organizations/$organizationId', params: { organizationId } } as const;
          void navigate({ ...target, search: { tab: 'keys' } });
        });
      },
    });
  return <Button onClick={create}>Create organization</Button>;
}
