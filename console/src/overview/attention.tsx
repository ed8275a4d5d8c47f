import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listAllWebhookEndpointsQuery, listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import { type Column, DataTable, Loading } from '../components/list';
import { Time } from '../components/time';
import { Empty, Failure, LinkAnchor } from '../components/ui';
import { type KeyFilter, queryOf } from '../keys/key-rules';
import { OrganizationLink } from '../organizations/organization-field';
import { WebhookStatus } from '../organizations/sections';
import { texts } from '../texts';

const labels = texts.overview;
const limit = 10;

interface Item {
  id: string;
  problem: ReactNode;
  name: string;
  organizationId: string;
  /** Where it is fixed. */
  search: { tab: 'keys' | 'webhooks'; filter?: KeyFilter };
}

const columns: Column<Item>[] = [
  [labels.columns.what, ({ organizationId, ...link }) => <OrganizationLink {...link} id={organizationId} />],
  [labels.columns.kind, ({ search }) => labels.kinds[search.tab], 'nowrap'],
  [texts.organization.title, ({ organizationId }) => <OrganizationLink id={organizationId} />],
  [labels.columns.problem, ({ problem }) => problem],
];

function useKeys(filter: 'expiring' | 'unused') {
  const list = useQuery(listApiKeysQuery({ query: { ...queryOf(filter), limit } }));
  const items = list.data?.data.map(({ id, name, organizationId, expiresAt, lastUsedAt }): Item => {
    const time = filter === 'expiring' ? expiresAt : lastUsedAt;
    const problem = (
      <>
        {labels[filter]} {time === undefined ? texts.keys.never : <Time value={time} as="relative" />}
      </>
    );
    return { id: filter + id, name, organizationId, problem, search: { tab: 'keys', filter } };
  });
  return { ...list, items, total: list.data?.total ?? 0 };
}

/** Leaves out endpoints that someone disabled: nothing is wrong with them. */
function useWebhooks(status: 'failing' | 'disabled') {
  const list = useQuery(listAllWebhookEndpointsQuery({ query: { status, limit: 100 } }));
  const found = list.data?.data.filter(({ disabledReason = 'failing' }) =>
    ['failing', 'gone'].includes(disabledReason),
  );
  const items = found?.slice(0, limit).map((endpoint): Item => {
    const { _id: id, url: name, organizationId } = endpoint;
    return { id, name, organizationId, problem: <WebhookStatus endpoint={endpoint} />, search: { tab: 'webhooks' } };
  });
  const total = status === 'failing' ? list.data?.total : found?.length;
  return { ...list, items, total: total ?? 0 };
}

/** One line for each key and webhook endpoint that needs attention, with a link to where it is fixed. */
export function Attention() {
  const lists = [useKeys('expiring'), useKeys('unused'), useWebhooks('failing'), useWebhooks('disabled')];
  const failed = lists.find(({ isError }) => isError);
  if (failed?.error) return <Failure error={failed.error} onRetry={failed.refetch} />;
  if (lists.some(({ isPending }) => isPending)) return <Loading />;
  const items = lists.flatMap((list) => list.items ?? []);
  const hidden = lists.reduce((sum, { total }) => sum + total, 0) - items.length;
  if (items.length === 0) return <Empty text={labels.empty} />;
  return (
    <>
      <DataTable label={labels.attention} columns={columns} rows={items} rowKey={({ id }) => id} />
      {hidden > 0 && (
        <Group fz="sm">
          <Text inherit>{labels.more(hidden)}</Text>
          {(['expiring', 'unused'] as const).map((filter) => (
            <LinkAnchor key={filter} inherit to="/keys" search={{ filter }}>
              {labels.showKeys[filter]}
            </LinkAnchor>
          ))}
        </Group>
      )}
    </>
  );
}
