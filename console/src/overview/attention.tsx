import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../api/queries';
import { type Column, DataTable, Loading } from '../components/list';
import { Time } from '../components/time';
import { Empty, Failure, LinkAnchor } from '../components/ui';
import { type KeyFilter, queryOf } from '../keys/key-rules';
import { OrganizationName } from '../organizations/organization-field';
import { WebhookStatus } from '../organizations/sections';
import { texts } from '../texts';

const own = texts.overview;
const limit = 10;

interface Item {
  readonly id: string;
  readonly problem: ReactNode;
  readonly name: string;
  readonly organizationId: string;
  /** Where it is fixed. */
  readonly search: { readonly tab: 'keys' | 'webhooks'; readonly filter?: KeyFilter };
}

const columns: Column<Item>[] = [
  [
    own.what,
    ({ name, organizationId, search }) => (
      <LinkAnchor
        inherit
        className="break"
        to="/organizations/$organizationId"
        params={{ organizationId }}
        search={search}
      >
        {name}
      </LinkAnchor>
    ),
  ],
  [own.kind, ({ search }) => own.kinds[search.tab], 'nowrap'],
  [texts.organization.title, ({ organizationId }) => <OrganizationName id={organizationId} />],
  [own.problem, ({ problem }) => problem],
];

function useKeys(filter: 'expiring' | 'unused') {
  const list = useQuery(queries.keys({ ...queryOf(filter), limit }));
  const items = list.data?.data.map(({ id, name, organizationId, expiresAt, lastUsedAt }): Item => {
    const time = filter === 'expiring' ? expiresAt : lastUsedAt;
    const problem = (
      <>
        {own[filter]} {time === undefined ? texts.keys.never : <Time value={time} as="relative" />}
      </>
    );
    return { id: filter + id, name, organizationId, problem, search: { tab: 'keys', filter } };
  });
  return { ...list, items };
}

function useWebhooks(status: 'failing' | 'disabled') {
  const list = useQuery(queries.allWebhooks({ status, limit }));
  const items = list.data?.data.map((endpoint): Item => {
    const { _id: id, url: name, organizationId } = endpoint;
    return { id, name, organizationId, problem: <WebhookStatus endpoint={endpoint} />, search: { tab: 'webhooks' } };
  });
  return { ...list, items };
}

/** One line for each key and webhook endpoint that needs attention, with a link to where it is fixed. */
export function Attention() {
  const lists = [useKeys('expiring'), useKeys('unused'), useWebhooks('failing'), useWebhooks('disabled')];
  const failed = lists.find(({ isError }) => isError);
  if (failed?.error) return <Failure error={failed.error} onRetry={failed.refetch} />;
  if (lists.some(({ isPending }) => isPending)) return <Loading />;
  const items = lists.flatMap((list) => list.items ?? []);
  const total = lists.reduce((sum, { data }) => sum + (data?.total ?? 0), 0);
  if (items.length === 0) return <Empty text={own.empty} />;
  return (
    <>
      <DataTable label={own.attention} columns={columns} rows={items} rowKey={({ id }) => id} />
      {total > items.length && (
        <Group gap="md" fz="sm">
          <Text inherit>{own.more(total - items.length)}</Text>
          {(['expiring', 'unused'] as const).map((filter) => (
            <LinkAnchor key={filter} inherit to="/keys" search={{ filter }}>
              {own.showKeys[filter]}
            </LinkAnchor>
          ))}
        </Group>
      )}
    </>
  );
}
