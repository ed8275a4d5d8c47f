import { api } from './organization.js';
import type { Method } from './server.js';

/** A route of the server; its path contains well-formed unknown IDs. */
export interface Route {
  readonly method: Exclude<Method, 'head' | 'options'>;
  readonly path: string;
}

/** An ID that no record has. */
export const unknownId = '6650f1f77bcf86cd79943911';

const publicPaths: Record<string, Route['method'][]> = {
  '/seasons': ['get'],
  '/teams': ['get', 'post'],
  // Other methods are rejected as those of a record with the ID `bulk`, and are not in `Allow`.
  '/teams/bulk': ['post', 'get', 'patch'],
  '/teams/by-external-id/erp-4711': ['get', 'patch'],
  [`/teams/${unknownId}`]: ['get', 'patch'],
  [`/teams/${unknownId}/players`]: ['get', 'post'],
  [`/teams/${unknownId}/players/bulk`]: ['post', 'get', 'patch', 'delete'],
  [`/teams/${unknownId}/players/by-external-id/erp-4711`]: ['get', 'patch'],
  [`/teams/${unknownId}/players/${unknownId}`]: ['get', 'patch', 'delete'],
  '/schedules': ['get', 'post'],
  '/schedules/bulk': ['post', 'get', 'patch', 'delete'],
  '/schedules/by-external-id/erp-4711': ['get', 'patch'],
  [`/schedules/${unknownId}`]: ['get', 'patch', 'delete'],
  [`/schedules/${unknownId}/player-statistics`]: ['get'],
  '/changes': ['get'],
  '/webhook-endpoints': ['get', 'post'],
  [`/webhook-endpoints/${unknownId}`]: ['get', 'patch', 'delete'],
  [`/webhook-endpoints/${unknownId}/rotate-secret`]: ['post'],
  [`/webhook-endpoints/${unknownId}/test`]: ['post'],
  [`/webhook-endpoints/${unknownId}/deliveries`]: ['get'],
  [`/webhook-endpoints/${unknownId}/deliveries/${unknownId}/retry`]: ['post'],
};

const adminPaths: Record<string, Route['method'][]> = {
  '/audit-events': ['get'],
  '/auth/me': ['get'],
  '/auth/password': ['post'],
  '/organizations': ['get', 'post'],
  [`/organizations/${unknownId}`]: ['get', 'patch'],
  [`/organizations/${unknownId}/usage`]: ['get'],
  [`/organizations/${unknownId}/users`]: ['get', 'post'],
  [`/organizations/${unknownId}/webhook-endpoints`]: ['get'],
  '/webhook-endpoints': ['get'],
  [`/webhook-endpoints/${unknownId}`]: ['patch'],
  '/usage': ['get'],
  [`/users/${unknownId}`]: ['patch'],
  '/seasons': ['get', 'post'],
  [`/seasons/${unknownId}`]: ['patch'],
  '/api-keys': ['get', 'post'],
  [`/api-keys/${unknownId}`]: ['patch', 'delete'],
  [`/api-keys/${unknownId}/rotate`]: ['post'],
  [`/api-keys/${unknownId}/previous-secret`]: ['delete'],
  [`/schedules/${unknownId}/player-statistics`]: ['put'],
};

const openPaths: Record<string, Route['method'][]> = {
  '/auth/login': ['post'],
  '/health/live': ['get'],
  '/health/ready': ['get'],
};

/** Routes of the public contract, below the public prefix. */
export const publicRoutes: readonly Route[] = routesOf(publicPaths);
export const adminRoutes: readonly Route[] = routesOf(adminPaths);
export const openRoutes: readonly Route[] = routesOf(openPaths);

/** Every full path of the server with its methods. */
export const knownPaths: readonly { path: string; methods: Route['method'][] }[] = [
  ...Object.entries(publicPaths).map(([path, methods]) => ({ path: api + path, methods })),
  ...Object.entries({ ...adminPaths, ...openPaths }).map(([path, methods]) => ({ path, methods })),
  { path: '/openapi.json', methods: ['get'] },
  { path: '/admin/openapi.json', methods: ['get'] },
];

function routesOf(paths: Record<string, Route['method'][]>): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) => methods.map((method) => ({ method, path })));
}
