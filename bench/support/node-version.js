import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const peers = path.resolve(import.meta.dirname, '../peers');

/**
 * Runs this program again on the given major version of Node, unless it already runs on it. The binary comes from npm
 * and is kept with the peers. Figures of one V8 version say little about another.
 * @param {string} major such as `24`
 */
export function runOnNode(major) {
  if (process.versions.node.split('.')[0] === major) return;
  const name = `node-linux-${process.arch}`;
  const folder = path.join(peers, '.node', major);
  const binary = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary)) {
    const { status } = spawnSync(
      'npm',
      ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${major}`],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (status !== 0) throw new Error(`npm install of ${name}@${major} ended with ${status}`);
  }
  const { status } = spawnSync(binary, process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 1);
}
