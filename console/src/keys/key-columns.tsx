import { Code, Group, Text } from '@mantine/core';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import type { Column } from '../components/list';
import { type RowAction, RowActions } from '../components/row-actions';
import { StatusBadge } from '../components/status-badge';
import { formatRelative, Time } from '../components/time';
import { OrganizationName } from '../organizations/organization-name';
import { texts } from '../texts';
import { isExpiring, isUnused } from './key-filters';

export type KeyAction = 'edit' | 'rotate' | 'endGrace' | 'revoke';

/** Returns the columns of a list of keys. */
export function keyColumns(
  withOrganization: boolean,
  choose: (action: KeyAction, apiKey: ApiKeyResponse) => void,
): Column<ApiKeyResponse>[] {
  const organization: Column<ApiKeyResponse> = {
    header: texts.fields.organization,
    cell: ({ organizationId }) => <OrganizationName id={organizationId} />,
  };
  return [
    { header: texts.keys.key, cell: (apiKey) => <KeyName apiKey={apiKey} /> },
    ...(withOrganization ? [organization] : []),
    { header: texts.keys.access, cell: (apiKey) => <KeyAccess apiKey={apiKey} /> },
    {
      header: texts.keys.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} as="relative" /> : texts.keys.neverUsed),
    },
    {
      header: texts.keys.expires,
      cell: ({ expiresAt }) => (expiresAt ? <Time value={expiresAt} as="date" /> : texts.keys.never),
    },
    { header: texts.fields.status, cell: (apiKey) => <KeyStatus apiKey={apiKey} /> },
    {
      header: texts.actions.column,
      className: 'actions',
      cell: (apiKey) => <RowActions name={apiKey.name} actions={actionsOf(apiKey, choose)} />,
    },
  ];
}

function actionsOf(apiKey: ApiKeyResponse, choose: (action: KeyAction, apiKey: ApiKeyResponse) => void): RowAction[] {
  if (apiKey.status === 'revoked') return [];
  const names: KeyAction[] = [
    'edit',
    'rotate',
    ...(apiKey.previousSecretExpiresAt ? ['endGrace' as const] : []),
    'revoke',
  ];
  return names.map((name) => ({
    label: texts.keys[name],
    onClick: () => choose(name, apiKey),
    isDangerous: name === 'revoke',
  }));
}

function KeyName({ apiKey: { name, keyPrefix } }: { apiKey: ApiKeyResponse }) {
  return (
    <>
      <Text inherit fw={600} className="break">
        {name}
      </Text>
      <Code bg="none" p={0} c="dimmed" className="break">
        {keyPrefix}…
      </Code>
    </>
  );
}

const shownScopes = 3;

function KeyAccess({ apiKey: { scopes, allowedAddresses } }: { apiKey: ApiKeyResponse }) {
  const more = (scopes?.length ?? 0) - shownScopes;
  const addresses = allowedAddresses ? texts.keys.fromAddresses(allowedAddresses.length) : texts.keys.anyAddress;
  return (
    <>
      <Text inherit title={scopes?.join(', ')} className="break">
        {scopes?.slice(0, shownScopes).join(', ') ?? texts.keys.everything} {more > 0 && texts.keys.moreScopes(more)}
      </Text>
      <Text size="xs" c="dimmed" title={allowedAddresses?.join(', ')}>
        {addresses}
      </Text>
    </>
  );
}

const tones = { active: 'good', expired: 'bad', revoked: 'neutral' } as const;

function KeyStatus({ apiKey }: { apiKey: ApiKeyResponse }) {
  const { status, expiresAt, previousSecretExpiresAt } = apiKey;
  const isSoon = isExpiring(apiKey) && expiresAt !== undefined;
  return (
    <Group gap={6}>
      <StatusBadge tone={tones[status]}>{texts.keys.statuses[status]}</StatusBadge>
      {isSoon && (
        <StatusBadge tone="warning">{texts.keys.expiresSoon(formatRelative(new Date(expiresAt)))}</StatusBadge>
      )}
      {isUnused(apiKey) && <StatusBadge tone="warning">{texts.keys.unused}</StatusBadge>}
      {status === 'active' && previousSecretExpiresAt && (
        <Text size="xs" c="dimmed">
          {texts.keys.oldSecretUntil} <Time value={previousSecretExpiresAt} />
        </Text>
      )}
    </Group>
  );
}
