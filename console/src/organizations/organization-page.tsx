import { Button, Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getOrganizationQuery } from '../api/generated/@tanstack/react-query.gen';
import { updateOrganization } from '../api/generated/sdk.gen';
import type { OrganizationResponse, UpdateOrganization } from '../api/generated/types.gen';
import { withConfirmation, openForm } from '../components/dialog';
import { Loaded } from '../components/list';
import { Page } from '../components/page';
import { AccountStatus, LinkButton } from '../components/ui';
import { KeyList } from '../keys/key-list';
import type { ListSearch } from '../router';
import { texts } from '../texts';
import { People, Seasons, Webhooks } from './sections';
import { Usage } from './usage';

const route = getRouteApi('/organizations/$organizationId');
const labels = texts.organization;

export function OrganizationPage() {
  const { organizationId } = route.useParams();
  const query = useQuery(getOrganizationQuery({ path: { organizationId } }));
  const organization = query.data?.data;
  const summary = organization && (
    <Group gap="xs">
      <AccountStatus disabled={organization.disabled} />
      {organization.creator && <span className="break">{labels.creator(organization.creator)}</span>}
    </Group>
  );
  return (
    // A key, so that the heading of another organization gets the focus.
    <Page
      key={organizationId}
      title={organization?.name ?? labels.title}
      description={summary}
      actions={organization && <Actions organization={organization} />}
    >
      <Loaded query={query}>{() => <Sections organizationId={organizationId} />}</Loaded>
    </Page>
  );
}

function Actions({ organization: { _id: organizationId, name, disabled } }: { organization: OrganizationResponse }) {
  const update = (body: UpdateOrganization) => updateOrganization({ path: { organizationId }, body });
  const fields = { name: { label: texts.fields.name, value: name } };
  const toggle = withConfirmation({
    ...(disabled ? labels.enable : { ...labels.disable, name }),
    send: () => update({ disabled: !disabled }),
  });
  return (
    <>
      <LinkButton variant="subtle" to="/audit" search={{ organizationId }}>
        {labels.audit}
      </LinkButton>
      <Button
        variant="default"
        onClick={() => openForm({ title: labels.rename, notice: labels.renamed, fields, send: update })}
      >
        {labels.rename}
      </Button>
      <Button variant="default" onClick={toggle.onClick}>
        {toggle.label}
      </Button>
    </>
  );
}

function Sections({ organizationId }: { organizationId: string }) {
  const { tab = 'people', filter, page } = route.useSearch();
  const navigate = route.useNavigate();
  const go = (search: ListSearch) => void navigate({ search: { tab, ...search } });
  const props = { organizationId, page, onPage: (next: number) => go({ filter, page: next }) };
  return (
    <Tabs value={tab} keepMounted={false} onChange={(name) => go({ tab: name as typeof tab })}>
      <Tabs.List mb="lg" aria-label={labels.sections}>
        {Object.entries(labels.tabs).map(([name, label]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        {tab === 'people' && <People {...props} />}
        {tab === 'keys' && <KeyList organizationId={organizationId} filter={filter} page={page} onChange={go} />}
        {tab === 'seasons' && <Seasons {...props} />}
        {tab === 'webhooks' && <Webhooks organizationId={organizationId} />}
        {tab === 'usage' && <Usage organizationId={organizationId} />}
      </Tabs.Panel>
    </Tabs>
  );
}
