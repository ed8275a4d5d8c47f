import { keepPreviousData, MutationCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, send } from './client';
import * as api from './generated/sdk.gen';
import type * as types from './generated/types.gen';

/** Repeats a read once if the server is unreachable or unavailable. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof ApiError && (error.status === undefined || error.status === 503);
}

/** Every change reads the shown data again. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 10_000, placeholderData: keepPreviousData } },
  mutationCache: new MutationCache({ onSuccess: () => queryClient.invalidateQueries() }),
});

type Query<Data extends { query?: unknown }> = NonNullable<Data['query']>;

interface Read {
  signal: AbortSignal;
}

/** Returns the options of `useQuery` for a read; its name and input identify the cached result. */
const define =
  <Input, Data>(name: string, read: (input: Input, options: Read) => Promise<Data>, staleTime = 10_000) =>
  (input: Input) =>
    queryOptions({ queryKey: [name, input], queryFn: ({ signal }) => read(input, { signal }), staleTime });

/** The reads of the console, except the audit, which is paged by cursor. */
export const queries = {
  organizations: define('organizations', (query: Query<types.ListOrganizationsData>, options) =>
    send(api.listOrganizations({ query, ...options })),
  ),
  organization: define(
    'organization',
    async (organizationId: string, options) =>
      (await send(api.getOrganization({ path: { organizationId }, ...options }))).data,
    60_000,
  ),
  users: define('users', ({ path, query }: Pick<types.ListOrganizationUsersData, 'path' | 'query'>, options) =>
    send(api.listOrganizationUsers({ path, query, ...options })),
  ),
  keys: define('keys', (query: Query<types.ListApiKeysData>, options) => send(api.listApiKeys({ query, ...options }))),
  seasons: define('seasons', (query: Query<types.ListAllSeasonsData>, options) =>
    send(api.listAllSeasons({ query, ...options })),
  ),
  webhooks: define('webhooks', (organizationId: string, options) =>
    send(api.listOrganizationWebhookEndpoints({ path: { organizationId }, ...options })),
  ),
  allWebhooks: define('allWebhooks', (query: Query<types.ListAllWebhookEndpointsData>, options) =>
    send(api.listAllWebhookEndpoints({ query, ...options })),
  ),
  usage: define('usage', (query: Query<types.ListUsageData>, options) => send(api.listUsage({ query, ...options }))),
  organizationUsage: define('organizationUsage', (organizationId: string, options) =>
    send(api.getOrganizationUsage({ path: { organizationId }, ...options })),
  ),
};
