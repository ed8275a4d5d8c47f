/** Generates the types and calls of the console and the TypeScript client from the OpenAPI documents: `npm run generate`. */
import { $, clientDefaultConfig, clientDefaultMeta } from '@hey-api/openapi-ts';

/** Calls of the console return the data or throw, and reads have options of `useQuery`, such as `listUsageQuery`. */
const consolePlugins = [
  { name: '@hey-api/typescript', enums: 'javascript' },
  { name: '@hey-api/sdk', responseStyle: 'data' },
  { name: '@hey-api/client-fetch', bundle: true, throwOnError: true },
  {
    name: '@tanstack/react-query',
    queryOptions: '{{name}}Query',
    infiniteQueryOptions: false,
    mutationOptions: false,
  },
];

/**
 * Groups the operations of the client by resource, such as `client.teams.list`, and adds a type of the error codes and
 * the revision of statistics, which the client takes from the `ETag`.
 */
function prepareDocument({ paths, components: { schemas } }) {
  for (const operation of Object.values(paths).flatMap(Object.values)) {
    const resource = operation.tags[0].replace(/ (.)/g, (_, letter) => letter.toUpperCase());
    const noun = new RegExp(`${resource.replace(/s$/, '')}(Endpoint)?s?`);
    operation.operationId = `${resource}.${operation.operationId.replace(noun, '')}`;
  }
  const { properties, required } = schemas.PlayerStatisticsResponse;
  properties.revision = { type: 'integer', description: 'The revision of the statistics, for `ifMatch`.' };
  required.push('revision');
  schemas.ErrorCode = { type: 'integer', enum: schemas.ErrorEnvelope.properties.error['x-error-codes'] };
}

/** Makes the operations call the client in `src/http.ts`. */
const ownClient = {
  ...clientDefaultMeta,
  name: '../http.js',
  config: { ...clientDefaultConfig, bundle: false },
  handler() {},
};

/** Lists the paths of creates that take an `idem-key`. */
const idempotentPaths = {
  name: 'idempotency',
  config: { includeInEntry: false },
  handler({ plugin }) {
    const paths = [];
    plugin.forEach('operation', ({ operation }) => {
      if (operation.parameters?.header?.['idem-key']) paths.push(operation.path);
    });
    plugin.node(
      $.const(plugin.symbol('idempotentPaths'))
        .export()
        .assign($.array(...paths)),
    );
  },
};

/** Names the route of each operation, such as `GET /teams`, because nobody knows operations by their IDs. */
const routesOfOperations = {
  name: 'routes',
  config: { includeInEntry: false },
  handler({ plugin }) {
    const routes = $.object();
    plugin.forEach('operation', ({ operation: { id, method, path } }) => {
      routes.prop(id, $.literal(`${method.toUpperCase()} ${path.replace('/v1/public-api', '')}`));
    });
    plugin.node($.const(plugin.symbol('routes')).export().assign(routes));
  },
};

export default [
  {
    input: './openapi/admin.json',
    output: { path: 'console/src/api/generated', entryFile: false },
    plugins: consolePlugins,
  },
  {
    input: './openapi/public.json',
    output: { path: 'console/src/api/public/generated', entryFile: false },
    plugins: [routesOfOperations],
  },
  {
    input: './openapi/public.json',
    output: { path: 'clients/typescript/src/generated', entryFile: false },
    parser: { patch: { input: prepareDocument } },
    plugins: [
      '@hey-api/typescript',
      { name: '@hey-api/sdk', auth: false, client: false, operations: { strategy: 'single', containerName: 'Api' } },
      ownClient,
      idempotentPaths,
    ],
  },
];
