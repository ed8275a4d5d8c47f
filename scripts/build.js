import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `npm run build`: compiles `src` and bundles it into `dist`. With `--if-changed` it does nothing if the last build had the same sources
 * and the same major version of Node, and `dist` is as that build left it.
 */
const root = path.resolve(import.meta.dirname, '..');
/** What the last build was made from, and what it made. */
const recordFile = path.join(root, 'dist', 'build.json');
const sources = [
  'src',
  'scripts/build.js',
  'scripts/bundle.js',
  'nest-cli.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Returns a hash of the names and contents of files and folders. */
function hashOf(names, isIncluded) {
  const hash = createHash('sha256');
  for (const file of names.flatMap(filesIn).filter(isIncluded)) {
    const content = readFileSync(path.join(root, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesIn(name) {
  if (statSync(path.join(root, name)).isFile()) return [name];
  return readdirSync(path.join(root, name))
    .sort()
    .flatMap((entry) => filesIn(path.join(name, entry)));
}

/** Tests are not compiled: a change of one needs no build. */
const hashOfSources = () => hashOf(sources, (file) => !file.endsWith('.spec.ts'));
const hashOfOutput = () => hashOf(['dist'], (file) => path.join(root, file) !== recordFile);
const recordOf = (sourceHash) =>
  JSON.stringify({ node: process.versions.node.split('.')[0], sources: sourceHash, output: hashOfOutput() });

function isCurrent(sourceHash) {
  try {
    return readFileSync(recordFile, 'utf8') === recordOf(sourceHash);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function run(command, ...given) {
  const { status, error } = spawnSync(command, given, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

// Before the build, so that a file that changes meanwhile makes the next run build again.
const sourceHash = hashOfSources();
if (!process.argv.includes('--if-changed') || !isCurrent(sourceHash)) {
  rmSync(recordFile, { force: true });
  run(path.join(root, 'node_modules', '.bin', 'nest'), 'build');
  run(process.execPath, path.join('scripts', 'bundle.js'));
  writeFileSync(recordFile, recordOf(sourceHash));
}
