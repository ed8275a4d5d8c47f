import { type Operation, operations } from './operations.js';
import { api } from './organization.js';
import type { Method } from './server.js';

/** A route of the server; its path contains well-formed unknown IDs. */
export interface Route {
  readonly id: string;
  readonly method: Exclude<Method, 'head' | 'options'>;
  readonly path: string;
}

/** An ID that no record has. */
export const unknownId = '6650f1f77bcf86cd79943911';

/** Routes of the public contract, below the public prefix. */
export const publicRoutes: readonly Route[] = routesOf('apiKey');
export const adminRoutes: readonly Route[] = routesOf('adminToken');
export const openRoutes: readonly Route[] = routesOf('anybody');

/** Every full path of the server with its methods. */
export const knownPaths: readonly { path: string; methods: Route['method'][] }[] = [
  ...[...new Set(operations.map(({ path }) => path))].map((path) => ({
    path: withUnknownIds(path),
    methods: methodsAt(path),
  })),
  { path: '/openapi.json', methods: ['get'] },
  { path: '/admin/openapi.json', methods: ['get'] },
];

function routesOf(caller: Operation['caller']): Route[] {
  const called = operations.filter((operation) => operation.caller === caller);
  return called.map(({ id, method, path }) => ({
    id,
    method: method as Route['method'],
    path: withUnknownIds(caller === 'apiKey' ? path.slice(api.length) : path),
  }));
}

/** The methods of a path; other methods of `/teams/bulk` are rejected as those of a team with the ID `bulk`. */
function methodsAt(path: string): Route['method'][] {
  const matching = operations.filter((one) => new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
  return [...new Set(matching.map(({ method }) => method as Route['method']))];
}

function withUnknownIds(path: string): string {
  return path
    .replace('{externalId}', 'erp-4711')
    .replace('{kind}', 'team')
    .replace(/\{\w+\}/g, unknownId);
}
