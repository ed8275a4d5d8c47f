import { Button, Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { send } from '../api/client';
import { updateOrganization } from '../api/generated/sdk.gen';
import type { OrganizationResponse, UpdateOrganization } from '../api/generated/types.gen';
import { queries } from '../api/queries';
import { confirm, openForm } from '../components/dialog';
import { Loading } from '../components/list';
import { Page } from '../components/page';
import { Enabled, Failure, LinkButton } from '../components/ui';
import { KeyList } from '../keys/key-list';
import { texts } from '../texts';
import { People, Seasons, Webhooks } from './sections';
import { Usage } from './usage';

const route = getRouteApi('/organizations/$organizationId');
const own = texts.organization;
type Tab = keyof typeof own.tabs;

export function OrganizationPage() {
  const { organizationId } = route.useParams();
  const { data, error, refetch } = useQuery(queries.organization(organizationId));
  const summary = data && (
    <Group gap="xs">
      <Enabled disabled={data.disabled} />
      {data.creator && <span className="break">{own.createdBy(data.creator)}</span>}
    </Group>
  );
  return (
    // A key, so that the heading of another organization gets the focus.
    <Page
      key={organizationId}
      title={data?.name ?? own.title}
      description={summary}
      actions={data && <Actions organization={data} />}
    >
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Loading />}
      {data && <Sections organizationId={organizationId} />}
    </Page>
  );
}

function Actions({ organization: { _id: organizationId, name, disabled } }: { organization: OrganizationResponse }) {
  const update = (body: UpdateOrganization) => send(updateOrganization({ path: { organizationId }, body }));
  const rename = () =>
    openForm({
      title: own.rename,
      notice: own.renamed,
      fields: { name: { label: texts.fields.name, value: name } },
      send: update,
    });
  const toggle = () =>
    confirm({
      ...(disabled ? own.enable : own.disable),
      name: disabled ? undefined : name,
      send: () => update({ disabled: !disabled }),
    });
  return (
    <>
      <LinkButton variant="subtle" to="/audit" search={{ organizationId }}>
        {own.audit}
      </LinkButton>
      <Button variant="default" onClick={rename}>
        {own.rename}
      </Button>
      <Button variant="default" onClick={toggle}>
        {disabled ? own.enable.title : own.disable.title}
      </Button>
    </>
  );
}

function Sections({ organizationId }: { organizationId: string }) {
  const { tab = 'people', filter, page } = route.useSearch();
  const navigate = route.useNavigate();
  const paging = { page, onPage: (next: number) => void navigate({ search: { tab, filter, page: next } }) };
  const change = (search: object) => void navigate({ search: { tab, ...search } });
  return (
    <Tabs value={tab} keepMounted={false} onChange={(name) => void navigate({ search: { tab: name as Tab } })}>
      <Tabs.List mb="lg" aria-label={own.sections}>
        {Object.entries(own.tabs).map(([name, label]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        {tab === 'people' && <People organizationId={organizationId} {...paging} />}
        {tab === 'keys' && <KeyList organizationId={organizationId} filter={filter} page={page} onChange={change} />}
        {tab === 'seasons' && <Seasons organizationId={organizationId} {...paging} />}
        {tab === 'webhooks' && <Webhooks organizationId={organizationId} />}
        {tab === 'usage' && <Usage organizationId={organizationId} />}
      </Tabs.Panel>
    </Tabs>
  );
}
