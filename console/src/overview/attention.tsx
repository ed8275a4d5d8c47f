import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listAllWebhookEndpointsQuery, listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import type {
  AnyWebhookEndpointResponse,
  ApiKeyResponse,
  ListAllWebhookEndpointsData,
} from '../api/generated/types.gen';
import { targetLabels } from '../audit/audit-labels';
import { type Column, DataTable, Loaded } from '../components/list';
import { formatNumber } from '../components/number';
import { RecordLink } from '../components/record-link';
import { Time } from '../components/time';
import { Empty, type EmptyText, LinkAnchor } from '../components/ui';
import { queryOf } from '../keys/key-rules';
import { OrganizationLink } from '../organizations/organization-field';
import { WebhookStatus } from '../webhooks/endpoint-list';

const limit = 10;

interface Item extends Pick<ApiKeyResponse, 'id' | 'name' | 'organizationId' | 'organizationName'> {
  kind: 'apiKey' | 'webhookEndpoint';
  problem: ReactNode;
}

const columns: Column<Item>[] = [
  [
    'Key or endpoint',
    ({ kind, id, organizationId, name }) => (
      <RecordLink kind={kind} id={id} organizationId={organizationId} name={name} fw={600} />
    ),
  ],
  ['Type', ({ kind }) => targetLabels[kind], 'nowrap'],
  ['Organization', ({ organizationId: id, organizationName }) => <OrganizationLink id={id} name={organizationName} />],
  ['Problem', ({ problem }) => problem],
];

const useKeys = (filter: 'expiring' | 'unused') =>
  useQuery({
    ...listApiKeysQuery({ query: { ...queryOf(filter), limit } }),
    select: ({ data, total }) => ({ items: data.map((apiKey) => keyItem(filter, apiKey)), total }),
  });

function keyItem(filter: 'expiring' | 'unused', apiKey: ApiKeyResponse): Item {
  const { id, name, organizationId, organizationName, expiresAt, lastUsedAt } = apiKey;
  const [label, time] = filter === 'expiring' ? ['Expires', expiresAt] : ['Unused for 90 days. Last used:', lastUsedAt];
  const problem = (
    <>
      {label} {time === undefined ? 'Never' : <Time value={time} as="relative" />}
    </>
  );
  return { kind: 'apiKey', id, name, organizationId, organizationName, problem };
}

const useWebhooks = (query: ListAllWebhookEndpointsData['query']) =>
  useQuery({
    ...listAllWebhookEndpointsQuery({ query: { ...query, limit } }),
    select: ({ data, total }) => ({ items: data.map(webhookItem), total }),
  });

function webhookItem(endpoint: AnyWebhookEndpointResponse): Item {
  const { _id: id, url: name, organizationId, organizationName } = endpoint;
  const problem = <WebhookStatus endpoint={endpoint} />;
  return { kind: 'webhookEndpoint', id, name, organizationId, organizationName, problem };
}

/** One line for each key and webhook endpoint that needs attention, with a link to where it is fixed. */
export function Attention() {
  const lists = [
    useKeys('expiring'),
    useKeys('unused'),
    useWebhooks({ status: 'failing' }),
    // Nothing is wrong with those that someone disabled.
    useWebhooks({ disabledReason: ['failing', 'gone'] }),
  ];
  const pages = lists.flatMap(({ data }) => data ?? []);
  const query = {
    data: pages.length === lists.length ? pages : undefined,
    error: lists.find(({ isError }) => isError)?.error ?? null,
    refetch: () => lists.map(({ refetch }) => refetch()),
  };
  return <Loaded query={query}>{(found) => <AttentionTable pages={found} />}</Loaded>;
}

const nothing: EmptyText = [
  'Nothing needs attention',
  'Keys that expire soon or have been unused for 90 days, and webhook endpoints that fail, appear here.',
];

function AttentionTable({ pages }: { pages: readonly { items: readonly Item[]; total: number }[] }) {
  const items = pages.flatMap((page) => page.items);
  const hidden = pages.reduce((sum, { total }) => sum + total, 0) - items.length;
  if (items.length === 0) return <Empty text={nothing} />;
  return (
    <>
      <DataTable label="Needs attention" columns={columns} rows={items} rowKey={({ id }) => id} />
      {hidden > 0 && (
        <Group fz="sm">
          <Text inherit>{formatNumber(hidden)} more are not shown.</Text>
          <LinkAnchor to="/keys" search={{ filter: 'expiring' }}>
            Show expiring keys
          </LinkAnchor>
          <LinkAnchor to="/keys" search={{ filter: 'unused' }}>
            Show unused keys
          </LinkAnchor>
          <LinkAnchor to="/webhooks" search={{ status: 'failing' }}>
            Show failing webhook endpoints
          </LinkAnchor>
        </Group>
      )}
    </>
  );
}
