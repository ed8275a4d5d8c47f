/** Generates the types and calls of the console and the TypeScript client from the OpenAPI documents: `npm run openapi`. */
const plugins = ['@hey-api/typescript', '@hey-api/sdk', { name: '@hey-api/client-fetch', bundle: true }];

export default [
  { input: './openapi/admin.json', output: 'console/src/api/generated', plugins },
  { input: './openapi/public.json', output: 'clients/typescript/src/generated', plugins },
];
