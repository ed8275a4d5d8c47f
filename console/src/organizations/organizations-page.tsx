import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, type UseNavigateResult } from '@tanstack/react-router';
import { useState } from 'react';
import { listOrganizationsQuery } from '../api/generated/@tanstack/react-query.gen';
import { createOrganization } from '../api/generated/sdk.gen';
import type { OrganizationResponse } from '../api/generated/types.gen';
import { openForm } from '../components/dialog';
import { type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { Enabled, Icon, showNotice } from '../components/ui';
import { texts } from '../texts';
import { OrganizationLink } from './organization-field';

const route = getRouteApi('/organizations');
const own = texts.organizations;

const columns: Column<OrganizationResponse>[] = [
  [texts.fields.name, ({ _id, name }) => <OrganizationLink id={_id} name={name} />],
  [own.creator, ({ creator }) => creator?.name ?? texts.none],
  [texts.fields.email, ({ creator }) => <span className="break wide">{creator?.email ?? texts.none}</span>],
  [texts.fields.created, ({ createdAt }) => <Time value={createdAt} as="date" />, 'nowrap'],
  [texts.fields.status, ({ disabled }) => <Enabled disabled={disabled} />],
];

export function OrganizationsPage() {
  const { search, page } = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(search ?? '');
  const find = useDebouncedCallback((text: string) => {
    void navigate({ search: { search: text.trim() || undefined }, replace: true });
  }, 250);
  const change = (text: string) => {
    setTyped(text);
    find(text);
  };
  const list = useQuery(listOrganizationsQuery({ query: { page, limit: pageSize, search } }));
  return (
    <Page
      title={own.title}
      description={own.description}
      actions={<Button onClick={() => openCreateForm(navigate)}>{own.create}</Button>}
    >
      <TextInput
        type="search"
        maw={400}
        aria-label={own.search}
        placeholder={own.search}
        leftSection={<Icon name="search" />}
        maxLength={120}
        value={typed}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <QueryList
        label={own.title}
        query={list}
        columns={columns}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={(next) => void navigate({ search: { search, page: next } })}
        empty={search === undefined ? own.empty : own.noMatch}
        onClear={search === undefined ? undefined : [own.clear, () => change('')]}
      />
    </Page>
  );
}

/** Creates an organization with its creator, and continues with its keys. */
function openCreateForm(navigate: UseNavigateResult<string>) {
  openForm({
    title: own.create,
    hint: own.creatorHint,
    fields: {
      name: { label: texts.fields.name },
      creatorName: { label: own.creatorName },
      creatorEmail: { label: own.creatorEmail, type: 'email' },
      creatorPassword: { label: own.creatorPassword, type: 'password', description: texts.fields.passwordRule },
    },
    send: async ({ name, creatorName, creatorEmail, creatorPassword }) => {
      const creator = { name: creatorName, email: creatorEmail, password: creatorPassword };
      const { _id } = await createOrganization({ body: { name, creator } });
      showNotice(own.created(name));
      void navigate({ to: '/organizations/$organizationId', params: { organizationId: _id }, search: { tab: 'keys' } });
    },
  });
}
