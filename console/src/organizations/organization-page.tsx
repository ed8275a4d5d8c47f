import { Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getOrganizationQuery } from '../api/generated/@tanstack/react-query.gen';
import { getOrganization, updateOrganization } from '../api/generated/sdk.gen';
import type { OrganizationResponse } from '../api/generated/types.gen';
import { saveChanges } from '../api/save-changes';
import { withConfirmation, openForm } from '../components/dialog';
import { toWords } from '../components/facts';
import { Loaded } from '../components/list';
import { Page } from '../components/page';
import { AccountStatus, ActionButtons, LinkButton, SandboxBadge } from '../components/ui';
import { KeyList } from '../keys/key-list';
import { organizationTabs } from '../search';
import { Data } from './data';
import { BeingErased } from './erase-organization';
import { People } from './people';
import { Seasons } from './seasons';
import { Usage } from './usage';
import { EndpointList } from '../webhooks/endpoint-list';

const route = getRouteApi('/organizations/$organizationId');

export function OrganizationPage() {
  const { organizationId } = route.useParams();
  const query = useQuery(getOrganizationQuery({ path: { organizationId } }));
  const organization = query.data?.data;
  const summary = organization && (
    <Group gap="xs">
      <AccountStatus {...organization} />
      <SandboxBadge isSandbox={organization.isSandbox} />
      {organization.creator && (
        <span className="break">
          Creator: {organization.creator.name}, {organization.creator.email}
        </span>
      )}
    </Group>
  );
  return (
    // A key, so that the heading of another organization gets the focus.
    <Page
      key={organizationId}
      title={organization?.name ?? 'Organization'}
      description={summary}
      actions={organization && <Actions organization={organization} />}
    >
      <Loaded query={query}>
        {({ data }) => (data.erasingSince ? <BeingErased organization={data} /> : <Sections organization={data} />)}
      </Loaded>
    </Page>
  );
}

const disable = {
  label: 'Disable organization',
  hint: 'Its keys stop working with the next request, and its creator and admins cannot sign in. Its data is kept, and you can enable it again, or erase it in the tab “Data”.',
  notice: 'The organization is disabled. Its keys no longer work.',
  isDangerous: true,
};

const enable = {
  label: 'Enable organization',
  hint: 'Its keys work again with the next request, and its creator and admins can sign in.',
  notice: 'The organization is enabled. Its keys work again.',
};

function openName(organization: OrganizationResponse): void {
  const { _id: id, name } = organization;
  const path = { organizationId: id };
  openForm({
    title: 'Rename organization',
    notice: 'The organization was renamed.',
    fields: { name: { label: 'Name', value: name } },
    send: (body) =>
      saveChanges({
        ...{ id, shown: organization, body, reopen: openName },
        read: () => getOrganization({ path }),
        send: (request) => updateOrganization({ path, ...request }),
      }),
  });
}

function Actions({ organization }: { organization: OrganizationResponse }) {
  const { _id: organizationId, name, disabled, erasingSince } = organization;
  const rename = { label: 'Rename organization', onClick: () => openName(organization) };
  const toggle = withConfirmation({
    ...(disabled ? enable : disable),
    subject: name,
    send: () => updateOrganization({ path: { organizationId }, body: { disabled: !disabled } }),
  });
  return (
    <>
      <LinkButton variant="default" to="/audit" search={{ organizationId }}>
        View audit log
      </LinkButton>
      {erasingSince === undefined && <ActionButtons actions={[rename, toggle]} />}
    </>
  );
}

function Sections({ organization }: { organization: OrganizationResponse }) {
  const { _id: organizationId } = organization;
  const { tab = 'people', search, page } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Tabs value={tab} keepMounted={false} onChange={(name) => void navigate({ search: { tab: name as typeof tab } })}>
      <Tabs.List mb="lg" aria-label="Sections of the organization">
        {organizationTabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {toWords(name)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        {tab === 'people' && <People organizationId={organizationId} />}
        {tab === 'keys' && <KeyList organizationId={organizationId} />}
        {tab === 'seasons' && <Seasons organizationId={organizationId} />}
        {tab === 'data' && <Data organization={organization} search={search} />}
        {tab === 'webhooks' && <EndpointList query={{ organizationId, page }} isOfOrganization />}
        {tab === 'usage' && <Usage organizationId={organizationId} />}
      </Tabs.Panel>
    </Tabs>
  );
}
