import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { OrganizationResponse } from '../api/generated/types.gen';
import { queries } from '../api/queries';
import { Empty } from '../components/empty';
import { Icon } from '../components/icons';
import { type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { texts } from '../texts';
import { CreateOrganizationDialog } from './create-organization-dialog';
import { LinkAnchor } from './organization-name';
import { OrganizationStatus } from './organization-status';

const route = getRouteApi('/organizations');

const columns: Column<OrganizationResponse>[] = [
  {
    header: texts.fields.name,
    cell: ({ _id, name }) => (
      <LinkAnchor
        inherit
        fw={600}
        className="break"
        to="/organizations/$organizationId"
        params={{ organizationId: _id }}
      >
        {name}
      </LinkAnchor>
    ),
  },
  { header: texts.organizations.creator, cell: ({ creator }) => creator?.name ?? texts.none },
  {
    header: texts.fields.email,
    cell: ({ creator }) => <span className="break">{creator?.email ?? texts.none}</span>,
  },
  { header: texts.fields.created, cell: ({ createdAt }) => <Time value={createdAt} as="date" /> },
  { header: texts.fields.status, cell: ({ disabled }) => <OrganizationStatus disabled={disabled} /> },
];

export function OrganizationsPage() {
  const { search, page } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, { open, close }] = useDisclosure(false);
  const [typed, setTyped] = useState(search ?? '');
  const find = useDebouncedCallback((text: string) => {
    void navigate({ search: { search: text.trim() || undefined, page: undefined }, replace: true });
  }, 250);
  const list = useQuery(queries.organizations({ page: page ?? 1, limit: pageSize, ...(search && { search }) }));
  const change = (text: string) => {
    setTyped(text);
    find(text);
  };
  const createButton = <Button onClick={open}>{texts.organizations.create}</Button>;
  return (
    <Page title={texts.organizations.title} description={texts.organizations.description} actions={createButton}>
      <TextInput
        type="search"
        maw={400}
        aria-label={texts.organizations.search}
        placeholder={texts.organizations.search}
        leftSection={<Icon name="search" />}
        maxLength={120}
        value={typed}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <QueryList
        label={texts.organizations.title}
        query={list}
        columns={columns}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={(next) => void navigate({ search: { search, page: next } })}
        empty={
          search === undefined ? (
            <Empty title={texts.organizations.none} hint={texts.organizations.noneHint} />
          ) : (
            <Empty title={texts.organizations.noMatch} hint={texts.organizations.noMatchHint}>
              <Button variant="default" onClick={() => change('')}>
                {texts.organizations.clear}
              </Button>
            </Empty>
          )
        }
      />
      {isCreating && <CreateOrganizationDialog onClose={close} />}
    </Page>
  );
}
