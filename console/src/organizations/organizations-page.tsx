import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { listOrganizationsQuery } from '../api/generated/@tanstack/react-query.gen';
import { createOrganization } from '../api/generated/sdk.gen';
import type { OrganizationResponse } from '../api/generated/types.gen';
import { openForm } from '../components/dialog';
import { type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { AccountStatus, Icon, showNotice } from '../components/ui';
import { texts } from '../texts';
import { OrganizationLink } from './organization-field';

const route = getRouteApi('/organizations');
const labels = texts.organizations;

const columns: Column<OrganizationResponse>[] = [
  [texts.fields.name, ({ _id, name }) => <OrganizationLink id={_id} name={name} />],
  [labels.creator, ({ creator }) => creator?.name ?? texts.none],
  [texts.fields.email, ({ creator }) => <span className="break wide">{creator?.email ?? texts.none}</span>],
  [texts.fields.created, ({ createdAt }) => <Time value={createdAt} as="date" />, 'nowrap'],
  [texts.fields.status, ({ disabled }) => <AccountStatus disabled={disabled} />],
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
  useEffect(() => {
    if (search === undefined) setTyped('');
  }, [search]);
  const list = useQuery(listOrganizationsQuery({ query: { page, limit: pageSize, search } }));
  return (
    <Page title={labels.title} description={labels.description} actions={<CreateOrganization />}>
      <TextInput
        type="search"
        maw={400}
        aria-label={labels.search}
        placeholder={labels.search}
        leftSection={<Icon name="search" />}
        maxLength={120}
        value={typed}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <QueryList
        label={labels.title}
        query={list}
        columns={columns}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={(next) => void navigate({ search: { search, page: next } })}
        empty={search === undefined ? labels.empty : labels.noMatch}
        onClear={search === undefined ? undefined : [labels.clear, () => change('')]}
      />
    </Page>
  );
}

/** Creates an organization with its creator, and continues with its keys. */
export function CreateOrganization() {
  const navigate = useNavigate();
  const create = () =>
    openForm({
      title: labels.create,
      hint: labels.creatorHint,
      fields: {
        name: { label: labels.name },
        creatorName: { label: labels.creatorName },
        creatorEmail: { label: labels.creatorEmail, type: 'email' },
        creatorPassword: { label: labels.creatorPassword, type: 'password', description: texts.fields.passwordRule },
      },
      send: async ({ name, creatorName, creatorEmail, creatorPassword }) => {
        const creator = { name: creatorName, email: creatorEmail, password: creatorPassword };
        const { _id: organizationId } = await createOrganization({ body: { name, creator } });
        showNotice(labels.created(name));
        const target = { to: '/organizations/$organizationId', params: { organizationId } } as const;
        void navigate({ ...target, search: { tab: 'keys' } });
      },
    });
  return <Button onClick={create}>{labels.create}</Button>;
}
