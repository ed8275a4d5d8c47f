import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import { endGracePeriod, revokeApiKey } from '../api/generated/sdk.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { confirmed, openDialog } from '../components/dialog';
import { type Column, pageSize, QueryList } from '../components/list';
import { formatRelative, Time } from '../components/time';
import { optionsOf, type RowAction, Status } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { texts } from '../texts';
import { CreateKeyDialog, EditKeyDialog, RotateKeyDialog } from './key-dialogs';
import { accessOf, isExpiring, isUnused, type KeyFilter, keyFilters, queryOf } from './key-rules';

const own = texts.keys;

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
          label={own.filter}
          value={filter ?? ''}
          onChange={(event) => onChange({ filter: keyFilters.find((name) => name === event.currentTarget.value) })}
          data={[{ value: '', label: own.allFilter }, ...optionsOf(own.filters)]}
        />
        <Button onClick={() => openDialog(<CreateKeyDialog organizationId={organizationId} />)}>{own.create}</Button>
      </Group>
      <QueryList
        label={own.title}
        query={list}
        columns={organizationId === undefined ? columns : columns.filter((column) => column !== organizationColumn)}
        rowKey={({ id }) => id}
        page={page}
        onPage={(next) => onChange({ filter, page: next })}
        actions={(apiKey) => [apiKey.name, actionsOf(apiKey)]}
        empty={filter === undefined ? own.empty : own.noMatch}
        onClear={filter === undefined ? undefined : [own.showAll, () => onChange({})]}
      />
    </Stack>
  );
}

const organizationColumn: Column<ApiKeyResponse> = [
  texts.organization.title,
  ({ organizationId }) => <OrganizationLink id={organizationId} />,
];

const columns: Column<ApiKeyResponse>[] = [
  [
    own.key,
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
  [own.access, (apiKey) => <KeyAccess apiKey={apiKey} />],
  [own.lastUsed, ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} as="relative" /> : own.never), 'nowrap'],
  [own.expires, ({ expiresAt }) => (expiresAt ? <Time value={expiresAt} as="date" /> : own.never)],
  [texts.fields.status, (apiKey) => <KeyStatus apiKey={apiKey} />],
];

function actionsOf(apiKey: ApiKeyResponse): RowAction[] {
  const { id, name, status, previousSecretExpiresAt } = apiKey;
  if (status === 'revoked') return [];
  const endGrace = confirmed({ ...own.endGrace, send: () => endGracePeriod({ path: { id } }) });
  return [
    { label: own.edit, onClick: () => openDialog(<EditKeyDialog apiKey={apiKey} />) },
    { label: own.rotate, onClick: () => openDialog(<RotateKeyDialog apiKey={apiKey} />) },
    ...(previousSecretExpiresAt === undefined ? [] : [endGrace]),
    confirmed({ ...own.revoke, name, send: () => revokeApiKey({ path: { id } }) }),
  ];
}

const shownScopes = 3;

function KeyAccess({ apiKey: { scopes, allowedAddresses } }: { apiKey: ApiKeyResponse }) {
  const access = accessOf(scopes);
  const more = (scopes?.length ?? 0) - shownScopes;
  return (
    <>
      <span className="break" title={scopes?.join(', ')}>
        {access === 'custom' ? scopes?.slice(0, shownScopes).join(', ') : own.accessOptions[access]}
        {access === 'custom' && more > 0 && ` ${own.moreScopes(more)}`}
      </span>
      <Text size="xs" c="dimmed" title={allowedAddresses?.join(', ')}>
        {allowedAddresses ? own.fromAddresses(allowedAddresses.length) : own.anyAddress}
      </Text>
    </>
  );
}

const tones = { active: 'good', expired: 'bad', revoked: 'neutral' } as const;

function KeyStatus({ apiKey }: { apiKey: ApiKeyResponse }) {
  const { status, expiresAt = '', previousSecretExpiresAt } = apiKey;
  return (
    <Group gap={6}>
      <Status tone={tones[status]}>{own.filters[status]}</Status>
      {isExpiring(apiKey) && <Status tone="warning">{own.expiresSoon(formatRelative(expiresAt))}</Status>}
      {isUnused(apiKey) && <Status tone="warning">{own.filters.unused}</Status>}
      {status === 'active' && previousSecretExpiresAt !== undefined && (
        <Text size="xs" c="dimmed">
          {own.oldSecretUntil} <Time value={previousSecretExpiresAt} />
        </Text>
      )}
    </Group>
  );
}
