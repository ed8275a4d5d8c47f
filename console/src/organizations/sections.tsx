import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as queries from '../api/generated/@tanstack/react-query.gen';
import * as api from '../api/generated/sdk.gen';
import type { SeasonResponse, UserResponse, WebhookEndpointResponse } from '../api/generated/types.gen';
import { withConfirmation, openForm } from '../components/dialog';
import { actionsColumn, type Column, pageSize, type Paging, QueryList } from '../components/list';
import { fromInput, Time, toInput } from '../components/time';
import { AccountStatus, Status } from '../components/ui';
import { texts } from '../texts';

interface SectionProps extends Paging {
  organizationId: string;
}

const { fields, people, seasons, webhooks } = texts;

function CreateButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Group justify="flex-end">
      <Button onClick={onClick}>{label}</Button>
    </Group>
  );
}

const userColumns: Column<UserResponse>[] = [
  [fields.name, ({ name }) => <strong className="break">{name}</strong>],
  [fields.email, ({ email }) => <span className="break wide">{email}</span>],
  [fields.role, ({ role }) => texts.roles[role]],
  [fields.created, ({ createdAt }) => <Time value={createdAt} as="date" />, 'nowrap'],
  [fields.status, ({ disabled }) => <AccountStatus disabled={disabled} />],
];

export function People({ organizationId, page, onPage }: SectionProps) {
  const path = { organizationId };
  const list = useQuery(queries.listOrganizationUsersQuery({ path, query: { page, limit: pageSize } }));
  const create = () =>
    openForm({
      title: people.create,
      notice: people.created,
      fields: {
        name: { label: fields.name },
        email: { label: fields.email, type: 'email' },
        password: { label: fields.password, type: 'password', description: fields.passwordRule },
      },
      send: (body) => api.createOrganizationAdmin({ path, body }),
    });
  const toggle = ({ _id: userId, name, role, disabled }: UserResponse) =>
    withConfirmation({
      ...(disabled ? people.enable : { ...people.disable, name }),
      ...(role === 'organizationCreator' && !disabled && { hint: people.disableCreatorHint }),
      send: () => api.updateUser({ path: { userId }, body: { disabled: !disabled } }),
    });
  return (
    <Stack>
      <CreateButton label={people.create} onClick={create} />
      <QueryList
        label={people.list}
        query={list}
        columns={[...userColumns, actionsColumn((user: UserResponse) => [user.name, toggle(user)])]}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={onPage}
        empty={people.empty}
      />
    </Stack>
  );
}

const seasonColumns: Column<SeasonResponse>[] = [
  [fields.name, ({ name }) => <strong className="break">{name}</strong>],
  [fields.start, ({ startDate }) => <Time value={startDate} />],
  [fields.end, ({ endDate }) => <Time value={endDate} />],
];

export function Seasons({ organizationId, page, onPage }: SectionProps) {
  const list = useQuery(queries.listAllSeasonsQuery({ query: { organizationId, page, limit: pageSize } }));
  const edit = (season?: SeasonResponse) =>
    openForm({
      title: season ? seasons.edit : seasons.create,
      submitLabel: season ? texts.save : seasons.create,
      notice: season ? seasons.saved : seasons.created,
      fields: {
        name: { label: fields.name, value: season?.name },
        startDate: { label: fields.start, type: 'datetime-local', value: toInput(season?.startDate) },
        endDate: { label: fields.end, type: 'datetime-local', value: toInput(season?.endDate) },
      },
      send: ({ name, startDate, endDate }) => {
        const start = fromInput(startDate, season?.startDate) ?? '';
        const end = fromInput(endDate, season?.endDate) ?? '';
        const body = { name, startDate: start, endDate: end };
        if (season) return api.updateSeason({ path: { id: season._id }, body });
        return api.createSeason({ body: { ...body, organizationId } });
      },
    });
  return (
    <Stack>
      <CreateButton label={seasons.create} onClick={() => edit()} />
      <QueryList
        label={seasons.list}
        query={list}
        columns={[
          ...seasonColumns,
          actionsColumn((season: SeasonResponse) => [
            season.name,
            { label: seasons.edit, onClick: () => edit(season) },
          ]),
        ]}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={onPage}
        empty={seasons.empty}
      />
    </Stack>
  );
}

/** Says whether events are sent, and if not, why. */
export function WebhookStatus({ endpoint: { status, disabledReason } }: { endpoint: WebhookEndpointResponse }) {
  if (status === 'active') return <Status tone="good">{texts.status.active}</Status>;
  if (status === 'failing') return <Status tone="warning">{webhooks.failing}</Status>;
  return <Status tone="bad">{disabledReason ? webhooks.disabledBy[disabledReason] : texts.status.disabled}</Status>;
}

function LastDelivery({ endpoint: { lastDelivery } }: { endpoint: WebhookEndpointResponse }) {
  if (lastDelivery === undefined) return webhooks.noDelivery;
  const { at, statusCode, error } = lastDelivery;
  return (
    <>
      <Time value={at} as="relative" />
      <Text size="xs" c="dimmed" className="break">
        {statusCode === undefined ? error : webhooks.outcome(statusCode)}
      </Text>
    </>
  );
}

const webhookColumns: Column<WebhookEndpointResponse>[] = [
  [
    webhooks.url,
    ({ url, description }) => (
      <>
        <strong className="break">{url}</strong>
        <Text size="xs" c="dimmed" className="break">
          {description}
        </Text>
      </>
    ),
  ],
  [fields.status, (endpoint) => <WebhookStatus endpoint={endpoint} />],
  [webhooks.lastDelivery, (endpoint) => <LastDelivery endpoint={endpoint} />],
];

export function Webhooks({ organizationId }: SectionProps) {
  const list = useQuery(queries.listOrganizationWebhookEndpointsQuery({ path: { organizationId } }));
  const toggle = ({ _id: id, isEnabled }: WebhookEndpointResponse) =>
    withConfirmation({
      ...(isEnabled ? webhooks.disable : webhooks.enable),
      send: () => api.toggleWebhookEndpoint({ path: { id }, body: { isEnabled: !isEnabled } }),
    });
  return (
    <QueryList
      label={webhooks.list}
      query={list}
      columns={[
        ...webhookColumns,
        actionsColumn((endpoint: WebhookEndpointResponse) => [endpoint.url, toggle(endpoint)]),
      ]}
      rowKey={({ _id }) => _id}
      empty={webhooks.empty}
    />
  );
}
