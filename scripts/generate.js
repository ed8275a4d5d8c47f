import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

/**
 * `npm run generate`: generates the types and calls of the console and the TypeScript client from the OpenAPI documents, as
 * `openapi-ts.config.js` says. Does nothing if they are newer than what they are made from.
 */
const root = path.resolve(import.meta.dirname, '..');
const inputs = ['openapi/admin.json', 'openapi/public.json', 'openapi-ts.config.js', 'package-lock.json'];
const outputs = [
  'console/src/api/generated/types.gen.ts',
  'console/src/api/public/generated/routes.gen.ts',
  'clients/typescript/src/generated/types.gen.ts',
];

const timesOf = (files) =>
  files.map((file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0);

if (Math.min(...timesOf(outputs)) <= Math.max(...timesOf(inputs))) {
  const program = path.join(root, 'node_modules/.bin/openapi-ts');
  const { status, error } = spawnSync(program, ['--silent', '--no-log-file'], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
