import { readFileSync } from 'node:fs';

/**
 * Ends the process with one sentence if Node.js is older than `engines` in package.json: it could start and fail later.
 * Programs import this module first, so that it runs before the other modules do.
 */
const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};
const required = engines.node.replace('>=', '');
const { node } = process.versions;
if (node.localeCompare(required, 'en', { numeric: true }) < 0) {
  process.stderr.write(`Node.js ${node} is too old: ${required} or later is required.\n`);
  process.exit(1);
}
