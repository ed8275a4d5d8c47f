import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import { endGracePeriod, revokeApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { withConfirmation, openDialog } from '../components/dialog';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { Page } from '../components/page';
import { formatRelative, Time } from '../components/time';
import { optionsOf, type RowAction, Status } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { texts } from '../texts';
import { CreateKeyDialog, EditKeyDialog, RotateKeyDialog } from './key-dialogs';
import { accessOf, isExpiring, isUnused, type KeyFilter, keyFilters, queryOf } from './key-rules';

const labels = texts.keys;

interface KeyListProps {
  /** Undefined: the keys of all organizations. */
  organizationId?: string;
  filter?: KeyFilter;
  page?: number;
  onChange: (search: { filter?: KeyFilter; page?: number }) => void;
}

/** The keys of one organization or of all, with everything that can be done with a key. */
export function KeyList({ organizationId, filter, page, onChange }: KeyListProps) {
  const list = useQuery(listApiKeysQuery({ query: { ...queryOf(filter), organizationId, page, limit: pageSize } }));
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <NativeSelect
          label={labels.filter}
          value={filter ?? ''}
          onChange={(event) => onChange({ filter: keyFilters.find((name) => name === event.currentTarget.value) })}
          data={[{ value: '', label: labels.allFilter }, ...optionsOf(labels.filters)]}
        />
        <Button onClick={() => openDialog(<CreateKeyDialog organizationId={organizationId} />)}>{labels.create}</Button>
      </Group>
      <QueryList
        label={labels.title}
        query={list}
        columns={organizationId === undefined ? columns : columns.filter((column) => column !== organizationColumn)}
        rowKey={({ id }) => id}
        page={page}
        onPage={(next) => onChange({ filter, page: next })}
        empty={filter === undefined ? labels.empty : labels.noMatch}
        onClear={filter === undefined ? undefined : [labels.showAll, () => onChange({})]}
      />
    </Stack>
  );
}

const route = getRouteApi('/keys');

export function KeysPage() {
  const { filter, page } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={labels.title} description={labels.description}>
      <KeyList filter={filter} page={page} onChange={(search) => void navigate({ search })} />
    </Page>
  );
}

const organizationColumn: Column<ApiKeyResponse> = [
  texts.organization.title,
  ({ organizationId }) => <OrganizationLink id={organizationId} />,
];

const columns: Column<ApiKeyResponse>[] = [
  [
    labels.key,
    ({ name, keyPrefix }) => (
      <>
        <strong className="break">{name}</strong>
        <br />
        <Code bg="none" p={0} c="dimmed" className="nowrap">
          {keyPrefix}…
        </Code>
      </>
    ),
  ],
  organizationColumn,
  [labels.access, (apiKey) => <KeyAccess apiKey={apiKey} />],
  [
    labels.lastUsed,
    ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} as="relative" /> : labels.never),
    'nowrap',
  ],
  [labels.expires, ({ expiresAt }) => (expiresAt ? <Time value={expiresAt} as="date" /> : labels.never)],
  [texts.fields.status, (apiKey) => <KeyStatus apiKey={apiKey} />],
  actionsColumn((apiKey: ApiKeyResponse) => [apiKey.name, ...actionsOf(apiKey)]),
];

function actionsOf(apiKey: ApiKeyResponse): RowAction[] {
  const { id, name, status, previousSecretExpiresAt } = apiKey;
  if (status === 'revoked') return [];
  const endGrace = withConfirmation({ ...labels.endGrace, send: () => endGracePeriod({ path: { id } }) });
  return [
    { label: labels.edit, onClick: () => openDialog(<EditKeyDialog apiKey={apiKey} />) },
    { label: labels.rotate, onClick: () => openDialog(<RotateKeyDialog apiKey={apiKey} />) },
    ...(previousSecretExpiresAt === undefined ? [] : [endGrace]),
    withConfirmation({ ...labels.revoke, name, send: () => revokeApiKey({ path: { id } }) }),
  ];
}

const shownScopes = 3;

function KeyAccess({ apiKey: { scopes, allowedAddresses } }: { apiKey: ApiKeyResponse }) {
  const access = accessOf(scopes);
  const more = (scopes?.length ?? 0) - shownScopes;
  return (
    <>
      <span className="break" title={scopes?.join(', ')}>
        {access === 'custom' ? scopes?.slice(0, shownScopes).join(', ') : labels.accessOptions[access]}
        {access === 'custom' && more > 0 && ` ${labels.moreScopes(more)}`}
      </span>
      <Text size="xs" c="dimmed" title={allowedAddresses?.join(', ')}>
        {allowedAddresses ? labels.fromAddresses(allowedAddresses.length) : labels.anyAddress}
      </Text>
    </>
  );
}

const tones = { active: 'good', expired: 'bad', revoked: 'neutral' } as const;

function KeyStatus({ apiKey }: { apiKey: ApiKeyResponse }) {
  const { status, expiresAt = '', previousSecretExpiresAt } = apiKey;
  return (
    <Group gap={6}>
      <Status tone={tones[status]}>{labels.filters[status]}</Status>
      {isExpiring(apiKey) && <Status tone="warning">{labels.expiresSoon(formatRelative(expiresAt))}</Status>}
      {isUnused(apiKey) && <Status tone="warning">{labels.filters.unused}</Status>}
      {status === 'active' && previousSecretExpiresAt !== undefined && (
        <Text size="xs" c="dimmed">
          {labels.oldSecretUntil} <Time value={previousSecretExpiresAt} />
        </Text>
      )}
    </Group>
  );
}
