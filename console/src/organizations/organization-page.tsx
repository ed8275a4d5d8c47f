import { Button, Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { OrganizationResponse } from '../api/generated/types.gen';
import { queries } from '../api/queries';
import { Failure } from '../components/failure';
import { Loading } from '../components/list';
import { Page } from '../components/page';
import { KeyList } from '../keys/key-list';
import { organizationTabs } from '../search';
import { texts } from '../texts';
import { RenameOrganizationDialog, ToggleOrganizationDialog } from './organization-dialogs';
import { OrganizationStatus } from './organization-status';
import { People } from './people';
import { Webhooks } from './webhooks';

const route = getRouteApi('/organizations/$organizationId');
const LinkButton = createLink(Button<'a'>);

export function OrganizationPage() {
  const { organizationId } = route.useParams();
  const { data, error, refetch } = useQuery(queries.organization(organizationId));
  const title = data?.name ?? texts.organization.title;
  return (
    // A key, so that the heading of another organization gets the focus.
    <Page
      key={organizationId}
      title={title}
      description={data && <Summary organization={data} />}
      actions={data && <Actions organization={data} />}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <Sections organizationId={organizationId} />}
    </Page>
  );
}

function Summary({ organization: { creator, disabled } }: { organization: OrganizationResponse }) {
  return (
    <Group gap="xs">
      <OrganizationStatus disabled={disabled} />
      {creator && <span className="break">{texts.organization.createdBy(`${creator.name}, ${creator.email}`)}</span>}
    </Group>
  );
}

function Actions({ organization }: { organization: OrganizationResponse }) {
  const [dialog, setDialog] = useState<'rename' | 'toggle'>();
  const onClose = () => setDialog(undefined);
  return (
    <>
      <LinkButton variant="subtle" to="/audit" search={{ organizationId: organization._id }}>
        {texts.organization.audit}
      </LinkButton>
      <Button variant="default" onClick={() => setDialog('rename')}>
        {texts.organizations.rename}
      </Button>
      <Button variant="default" onClick={() => setDialog('toggle')}>
        {organization.disabled ? texts.organizations.enable : texts.organizations.disable}
      </Button>
      {dialog === 'rename' && <RenameOrganizationDialog organization={organization} onClose={onClose} />}
      {dialog === 'toggle' && <ToggleOrganizationDialog organization={organization} onClose={onClose} />}
    </>
  );
}

function Sections({ organizationId }: { organizationId: string }) {
  const { tab = 'people', filter, page } = route.useSearch();
  const navigate = route.useNavigate();
  const showPage = (next: number) => void navigate({ search: { tab, filter, page: next } });
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(name) => void navigate({ search: { tab: organizationTabs.find((known) => known === name) } })}
    >
      <Tabs.List mb="lg" aria-label={texts.organization.sections}>
        {organizationTabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {texts.organization.tabs[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="people">
        <People organizationId={organizationId} page={page} onPage={showPage} />
      </Tabs.Panel>
      <Tabs.Panel value="keys">
        <KeyList
          organizationId={organizationId}
          filter={filter}
          page={page}
          onChange={(search) => void navigate({ search: { tab, ...search } })}
        />
      </Tabs.Panel>
      <Tabs.Panel value="webhooks">
        <Webhooks organizationId={organizationId} />
      </Tabs.Panel>
    </Tabs>
  );
}
