import { queryOptions } from '@tanstack/react-query';
import { send } from './client';
import * as api from './generated/sdk.gen';
import type * as types from './generated/types.gen';

type Query<Data extends { query?: unknown }> = NonNullable<Data['query']>;

/** Options of `useQuery` for each read of the console. */
export const queries = {
  organizations: (query: Query<types.ListOrganizationsData>) =>
    queryOptions({
      queryKey: ['organizations', query],
      queryFn: ({ signal }) => send(api.listOrganizations({ query, signal })),
    }),
  organization: (organizationId: string) =>
    queryOptions({
      queryKey: ['organization', organizationId],
      queryFn: async ({ signal }) => (await send(api.getOrganization({ path: { organizationId }, signal }))).data,
      staleTime: 60_000,
    }),
  users: (organizationId: string, query: Query<types.ListOrganizationUsersData>) =>
    queryOptions({
      queryKey: ['users', organizationId, query],
      queryFn: ({ signal }) => send(api.listOrganizationUsers({ path: { organizationId }, query, signal })),
    }),
  keys: (query: Query<types.ListApiKeysData>) =>
    queryOptions({
      queryKey: ['keys', query],
      queryFn: ({ signal }) => send(api.listApiKeys({ query, signal })),
    }),
  seasons: (query: Query<types.ListAllSeasonsData>) =>
    queryOptions({
      queryKey: ['seasons', query],
      queryFn: ({ signal }) => send(api.listAllSeasons({ query, signal })),
    }),
  webhooks: (organizationId: string) =>
    queryOptions({
      queryKey: ['webhooks', organizationId],
      queryFn: ({ signal }) => send(api.listOrganizationWebhookEndpoints({ path: { organizationId }, signal })),
    }),
};
