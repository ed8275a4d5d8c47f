import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import { endGracePeriod, revokeApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { withConfirmation } from '../components/dialog';
import { FilterSelect } from '../components/filter-select';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { formatCount } from '../components/number';
import { Page } from '../components/page';
import { SearchField } from '../components/search-field';
import { formatRelative, Time } from '../components/time';
import { LinkAnchor, type RowAction, SandboxBadge, Status } from '../components/ui';
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
  queryOf,
  scopesInWords,
} from './key-rules';

interface KeyListProps {
  /** Undefined: the keys of all organizations. */
  organizationId?: string;
  search?: string;
  filter?: KeyFilter;
  page?: number;
  onChange: (search: { search?: string; filter?: KeyFilter; page?: number }) => void;
}

/** The keys of one organization or of all, with everything that can be done with a key. */
export function KeyList({ organizationId, search, filter, page, onChange }: KeyListProps) {
  const query = { ...queryOf(filter), organizationId, search, page, limit: pageSize };
  // The last use and the end of a grace period appear without a reload.
  const list = useQuery({ ...listApiKeysQuery({ query }), refetchInterval: 10_000 });
  const isFiltered = search !== undefined || filter !== undefined;
  return (
    <Stack gap="md">
      <Group align="flex-end">
        <SearchField
          label="Search keys by name or prefix"
          value={search}
          onSearch={(text) => onChange({ search: text, filter })}
        />
        <FilterSelect
          label="Filter"
          all="All keys"
          labels={keyFilterLabels}
          value={filter}
          onChange={(chosen) => onChange({ search, filter: chosen })}
        />
        <Button ml="auto" onClick={() => openCreateKey(organizationId)}>
          Create key
        </Button>
      </Group>
      <QueryList
        label="Keys"
        query={list}
        columns={organizationId === undefined ? columns : columns.filter((column) => column !== organizationColumn)}
        rowKey={({ id }) => id}
        page={page}
        onPage={(next) => onChange({ search, filter, page: next })}
        empty={
          isFiltered
            ? ['No matching keys', 'Search for another part of the name or prefix, or show all keys.']
            : ['No keys yet', 'Partners authenticate with a key. Create one with only the access that they need.']
        }
        onClear={isFiltered ? ['Show all keys', () => onChange({})] : undefined}
      />
    </Stack>
  );
}

const route = getRouteApi('/keys');

export function KeysPage() {
  const { search, filter, page } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Keys" description="API keys of all organizations.">
      <KeyList search={search} filter={filter} page={page} onChange={(next) => void navigate({ search: next })} />
    </Page>
  );
}

export function KeyLink({ id, name }: { id: string; name: string }) {
  return (
    <LinkAnchor inherit fw={600} className="break" to="/keys/$keyId" params={{ keyId: id }}>
      {name}
    </LinkAnchor>
  );
}

const organizationColumn: Column<ApiKeyResponse> = [
  'Organization',
  ({ organizationId: id, organizationName }) => <OrganizationLink id={id} name={organizationName} />,
];

const columns: Column<ApiKeyResponse>[] = [
  [
    'Key',
    ({ id: keyId, name, keyPrefix, isSandbox }) => (
      <>
        <KeyLink id={keyId} name={name} /> <SandboxBadge isSandbox={isSandbox} />
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

/** Returns what can be done with a key. */
export function actionsOf(apiKey: ApiKeyResponse): RowAction[] {
  const { id, name, status, previousSecretExpiresAt, previousSecretUsedAt } = apiKey;
  if (status === 'revoked') return [];
  const previous = previousSecretExpiresAt === undefined ? '' : ', or with its previous secret,';
  const endGrace = withConfirmation({
    label: 'End grace period',
    hint: `The previous secret stops working with the next request. The current secret keeps working.${
      previousSecretUsedAt === undefined ? '' : ' The partner has used the previous one since the rotation.'
    }`,
    notice: 'The previous secret no longer works.',
    subject: name,
    send: () => endGracePeriod({ path: { id } }),
  });
  return [
    { label: 'Edit key', onClick: () => openEditKey(apiKey) },
    { label: 'Rotate key', onClick: () => openRotateKey(apiKey) },
    ...(previousSecretExpiresAt === undefined ? [] : [endGrace]),
    withConfirmation({
      label: 'Revoke key',
      hint: `Requests with this key${previous} are rejected immediately. You can’t undo this.`,
      notice: 'The key is revoked and no longer works.',
      subject: name,
      isDangerous: true,
      send: () => revokeApiKey({ path: { id } }),
    }),
  ];
}

function KeyAccess({ apiKey: { scopes, allowedAddresses } }: { apiKey: ApiKeyResponse }) {
  const access = accessOf(scopes);
  const words = scopesInWords(scopes ?? []).map(([resource, actions]) => `${resource}: ${actions}`);
  return (
    <>
      <span className="break wide">{access === 'custom' ? words.join('; ') : accessLabels[access]}</span>
      <Text size="xs" c="dimmed" title={allowedAddresses?.join(', ')}>
        {allowedAddresses ? formatCount(allowedAddresses.length, 'IP address', 'IP addresses') : 'Any IP address'}
      </Text>
    </>
  );
}

const tones = { active: 'good', expired: 'bad', revoked: 'neutral' } as const;

export function KeyStatus({ apiKey }: { apiKey: ApiKeyResponse }) {
  const { status, expiresAt = '', previousSecretExpiresAt, organizationDisabled } = apiKey;
  return (
    <Group gap={6}>
      {organizationDisabled && <Status tone="bad">Organization disabled</Status>}
      {(isWorking(apiKey) || status !== 'active') && <Status tone={tones[status]}>{keyFilterLabels[status]}</Status>}
      {isExpiring(apiKey) && <Status tone="warning">{`Expires ${formatRelative(expiresAt)}`}</Status>}
      {isUnused(apiKey) && <Status tone="warning">{keyFilterLabels.unused}</Status>}
      {status === 'active' && previousSecretExpiresAt !== undefined && (
        <Text size="xs" c="dimmed">
          Previous secret works until <Time value={previousSecretExpiresAt} />
        </Text>
      )}
    </Group>
  );
}
