import { api } from './organization.js';
import type { Method } from './server.js';

/** A route of the server: its path with well-formed ids of nothing that exists. */
export interface Route {
  readonly method: Exclude<Method, 'head' | 'options'>;
  readonly path: string;
}

/** An id that no record has. */
export const nobody = '6650f1f77bcf86cd79943911';

const publicPaths: Record<string, Route['method'][]> = {
  '/seasons': ['get'],
  '/teams': ['get', 'post'],
  [`/teams/${nobody}/players`]: ['get', 'post'],
  [`/teams/${nobody}/players/${nobody}`]: ['get', 'patch', 'delete'],
  '/schedules': ['get', 'post'],
  [`/schedules/${nobody}`]: ['get', 'patch', 'delete'],
  [`/schedules/${nobody}/player-statistics`]: ['get'],
};

const adminPaths: Record<string, Route['method'][]> = {
  '/audit-events': ['get'],
  '/auth/me': ['get'],
  '/auth/password': ['post'],
  '/organizations': ['get', 'post'],
  [`/organizations/${nobody}`]: ['patch'],
  [`/organizations/${nobody}/users`]: ['get', 'post'],
  [`/users/${nobody}`]: ['patch'],
  '/seasons': ['get', 'post'],
  '/api-keys': ['get', 'post'],
  [`/api-keys/${nobody}`]: ['delete'],
  [`/api-keys/${nobody}/rotate`]: ['post'],
  [`/api-keys/${nobody}/previous-secret`]: ['delete'],
  [`/schedules/${nobody}/player-statistics`]: ['put'],
};

const openPaths: Record<string, Route['method'][]> = {
  '/auth/login': ['post'],
  '/health/live': ['get'],
  '/health/ready': ['get'],
};

/** The routes of the public contract; the paths stand below the public prefix. */
export const publicRoutes: readonly Route[] = routesOf(publicPaths);
export const adminRoutes: readonly Route[] = routesOf(adminPaths);
export const openRoutes: readonly Route[] = routesOf(openPaths);

/** Every path of the server, whole, with the methods it knows. */
export const knownPaths: readonly { path: string; methods: Route['method'][] }[] = [
  ...Object.entries(publicPaths).map(([path, methods]) => ({ path: api + path, methods })),
  ...Object.entries({ ...adminPaths, ...openPaths }).map(([path, methods]) => ({ path, methods })),
  { path: '/openapi.json', methods: ['get'] },
  { path: '/admin/openapi.json', methods: ['get'] },
];

function routesOf(paths: Record<string, Route['method'][]>): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) => methods.map((method) => ({ method, path })));
}
