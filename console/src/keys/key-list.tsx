import { Button, Code, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import { endGracePeriod, revokeApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { withConfirmation } from '../components/dialog';
import { FilterSelect, SearchField } from '../components/filters';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { formatCount } from '../components/number';
import { Page } from '../components/page';
import { RecordLink } from '../components/record-link';
import { formatRelative, Time } from '../components/time';
import { Note, type RowAction, SandboxBadge, Status } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { useFilters } from '../search';
import { openCreateKey, openEditKey, openRotateKey } from './key-dialogs';
import {
  accessLabels,
  accessOf,
  isExpiring,
  isUnused,
  isWorking,
  keyFilterLabels,
  queryOf,
  scopesInWords,
} from './key-rules';

/** The keys of one organization or of all, with everything that can be done with a key. */
export function KeyList({ organizationId }: { organizationId?: string }) {
  const { search, filter, page } = useFilters().filters;
  const query = { ...queryOf(filter), organizationId, search, page, limit: pageSize };
  // The last use and the end of a grace period appear without a reload.
  const list = useQuery({ ...listApiKeysQuery({ query }), refetchInterval: 10_000 });
  return (
    <Stack gap="md">
      <Group align="flex-end">
        <SearchField label="Search keys by name or prefix" />
        <FilterSelect name="filter" label="Filter" all="All keys" labels={keyFilterLabels} />
        <Button ml="auto" onClick={() => openCreateKey(organizationId)}>
          Create key
        </Button>
      </Group>
      <QueryList
        label="Keys"
        query={list}
        columns={columns.filter(([header]) => organizationId === undefined || header !== 'Organization')}
        rowKey={({ id }) => id}
        isPaged
        empty={['No keys yet', 'Partners authenticate with a key. Create one with only the access that they need.']}
        noMatch={[
          'No matching keys',
          'Search for another part of the name or prefix, or show all keys.',
          'Show all keys',
        ]}
      />
    </Stack>
  );
}

export function KeysPage() {
  return (
    <Page title="Keys" description="API keys of all organizations.">
      <KeyList />
    </Page>
  );
}

const columns: Column<ApiKeyResponse>[] = [
  [
    'Key',
    ({ id, organizationId, name, keyPrefix, isSandbox }) => (
      <>
        <RecordLink kind="apiKey" id={id} organizationId={organizationId} name={name} fw={600} />{' '}
        <SandboxBadge isSandbox={isSandbox} />
        <br />
        <Code bg="none" p={0} c="dimmed" className="nowrap">
          {keyPrefix}…
        </Code>
      </>
    ),
  ],
  [
    'Organization',
    ({ organizationId, organizationName }) => <OrganizationLink id={organizationId} name={organizationName} />,
  ],
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
      <Note title={allowedAddresses?.join(', ')}>
        {allowedAddresses ? formatCount(allowedAddresses.length, 'IP address', 'IP addresses') : 'Any IP address'}
      </Note>
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
        <Note>
          Previous secret works until <Time value={previousSecretExpiresAt} />
        </Note>
      )}
    </Group>
  );
}
