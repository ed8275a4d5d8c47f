import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../peers');
const lock = path.join(folder, 'package-lock.json');
const compiler = path.resolve(folder, '../../node_modules/.bin/tsc');
/** A copy of the installed lock file. */
const mark = path.join(folder, 'node_modules/.installed-lock.json');

/** Installs the compared servers if they are missing or outdated. They are not dependencies of this server. */
export function installPeers() {
  const wanted = readFileSync(lock, 'utf8');
  if (textOf(mark) === wanted) return;
  console.log('Installing the peers (once) …');
  // Without install scripts, which are not needed.
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, ...quietly], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm ci of bench/peers ended with ${status}`);
  writeFileSync(mark, wanted);
}

/** Compiles the NestJS server, whose decorators Node.js cannot run; its packages are those of this server. */
export function buildNestPeer() {
  const { status } = spawnSync(compiler, ['-p', path.join(folder, 'nest')], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`tsc of bench/peers/nest ended with ${status}`);
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
