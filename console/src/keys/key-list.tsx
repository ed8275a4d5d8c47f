import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import { endGracePeriod, revokeApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { withConfirmation } from '../components/dialog';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { formatCount } from '../components/number';
import { Page } from '../components/page';
import { formatRelative, Time } from '../components/time';
import { optionsOf, type RowAction, SandboxBadge, Status } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { openCreateKey, openEditKey, openRotateKey } from './key-dialogs';
import {
  accessLabels,
  accessOf,
  isExpiring,
  isUnused,
  isWorking,
  type KeyFilter,
  keyFilterLabels,
  keyFilters,
  queryOf,
} from './key-rules';

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
          label="Show"
          value={filter ?? ''}
          onChange={(event) => onChange({ filter: keyFilters.find((name) => name === event.currentTarget.value) })}
          data={[{ value: '', label: 'All keys' }, ...optionsOf(keyFilterLabels)]}
        />
        <Button onClick={() => openCreateKey(organizationId)}>Create key</Button>
      </Group>
      <QueryList
        label="Keys"
        query={list}
        columns={organizationId === undefined ? columns : columns.filter((column) => column !== organizationColumn)}
        rowKey={({ id }) => id}
        page={page}
        onPage={(next) => onChange({ filter, page: next })}
        empty={
          filter === undefined
            ? ['No keys yet', 'Partners authenticate with a key. Create one with only the access that they need.']
            : ['No key matches', 'No key is in this state. Show all keys to see the others.']
        }
        onClear={filter === undefined ? undefined : ['Show all keys', () => onChange({})]}
      />
    </Stack>
  );
}

const route = getRouteApi('/keys');

export function KeysPage() {
  const { filter, page } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Keys" description="API keys of all organizations.">
      <KeyList filter={filter} page={page} onChange={(search) => void navigate({ search })} />
    </Page>
  );
}

const organizationColumn: Column<ApiKeyResponse> = [
  'Organization',
  ({ organizationId }) => <OrganizationLink id={organizationId} />,
];

const columns: Column<ApiKeyResponse>[] = [
  [
    'Key',
    ({ name, keyPrefix, isSandbox }) => (
      <>
        <strong className="break">{name}</strong> <SandboxBadge isSandbox={isSandbox} />
        <br />
        <Code bg="none" p={0} c="dimmed" className="nowrap">
          {keyPrefix}…
        </Code>
      </>
    ),
  ],
  organizationColumn,
  ['Access', (apiKey) => <KeyAccess apiKey={apiKey} />],
  ['Last used', ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} as="relative" /> : 'Never'), 'nowrap'],
  ['Expires', ({ expiresAt }) => (expiresAt ? <Time value={expiresAt} as="date" /> : 'Never')],
  ['Status', (apiKey) => <KeyStatus apiKey={apiKey} />],
  actionsColumn((apiKey: ApiKeyResponse) => [apiKey.name, ...actionsOf(apiKey)]),
];

function actionsOf(apiKey: ApiKeyResponse): RowAction[] {
  const { id, name, status, previousSecretExpiresAt } = apiKey;
  if (status === 'revoked') return [];
  const endGrace = withConfirmation({
    label: 'End grace period',
    hint: 'The old secret stops working with the next request. The current secret keeps working.',
    notice: 'The old secret no longer works.',
    subject: name,
    send: () => endGracePeriod({ path: { id } }),
  });
  return [
    { label: 'Edit key', onClick: () => openEditKey(apiKey) },
    { label: 'Rotate key', onClick: () => openRotateKey(apiKey) },
    ...(previousSecretExpiresAt === undefined ? [] : [endGrace]),
    withConfirmation({
      label: 'Revoke key',
      hint: 'From now on, every request with this key is rejected, also with the old secret of a rotation. This cannot be undone.',
      notice: 'The key is revoked and no longer works.',
      subject: name,
      isDangerous: true,
      send: () => revokeApiKey({ path: { id } }),
    }),
  ];
}

const shownScopes = 3;

function KeyAccess({ apiKey: { scopes, allowedAddresses } }: { apiKey: ApiKeyResponse }) {
  const access = accessOf(scopes);
  const more = (scopes?.length ?? 0) - shownScopes;
  return (
    <>
      <span className="break" title={scopes?.join(', ')}>
        {access === 'custom' ? scopes?.slice(0, shownScopes).join(', ') : accessLabels[access]}
        {access === 'custom' && more > 0 && ` and ${more} more`}
      </span>
      <Text size="xs" c="dimmed" title={allowedAddresses?.join(', ')}>
        {allowedAddresses ? `From ${formatCount(allowedAddresses.length, 'address', 'addresses')}` : 'From any address'}
      </Text>
    </>
  );
}

const tones = { active: 'good', expired: 'bad', revoked: 'neutral' } as const;

function KeyStatus({ apiKey }: { apiKey: ApiKeyResponse }) {
  const { status, expiresAt = '', previousSecretExpiresAt, organizationDisabled } = apiKey;
  return (
    <Group gap={6}>
      {organizationDisabled && <Status tone="bad">Organization disabled</Status>}
      {(isWorking(apiKey) || status !== 'active') && <Status tone={tones[status]}>{keyFilterLabels[status]}</Status>}
      {isExpiring(apiKey) && <Status tone="warning">{`Expires ${formatRelative(expiresAt)}`}</Status>}
      {isUnused(apiKey) && <Status tone="warning">{keyFilterLabels.unused}</Status>}
      {status === 'active' && previousSecretExpiresAt !== undefined && (
        <Text size="xs" c="dimmed">
          Old secret works until <Time value={previousSecretExpiresAt} />
        </Text>
      )}
    </Group>
  );
}
