import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `npm run build`: compiles `src`, bundles it and builds the web pages, all into `dist`, with the commit of SOURCE_COMMIT
 * or of Git. With `--if-changed` it compiles only what changed (8 s instead of 16 s of CPU time), and does nothing if the
 * sources and the contents of `dist` are those of the last build.
 */
const { node } = process.versions;
// Here, because nearly every npm script begins with a build.
if (node.localeCompare('24.7', 'en', { numeric: true }) < 0) {
  console.error(
    `Node.js ${node} is too old. On Linux and Intel Macs, "npm ci" installs Node.js 24 for npm scripts; otherwise install 24.7 or later.`,
  );
  process.exit(1);
}
const root = path.resolve(import.meta.dirname, '..');
/** Hashes of the sources and the output of the last build, and its commit. */
const recordFile = path.join(root, 'dist', 'build.json');
const sources = [
  'src',
  'clients/typescript/README.md',
  'clients/typescript/LICENSE',
  'clients/typescript/package.json',
  'clients/typescript/src',
  'clients/typescript/tsconfig.cjs.json',
  'clients/typescript/tsconfig.cli.json',
  'clients/typescript/tsconfig.json',
  'console/index.html',
  'console/src',
  'console/vite.config.ts',
  'scripts/build.js',
  'scripts/bundle.js',
  'scripts/generate.js',
  'scripts/pages.js',
  'docs/errors.md',
  'docs/integration-guide',
  'docs/llms.txt',
  'examples',
  'nest-cli.json',
  'openapi/admin.json',
  'openapi/public.json',
  'openapi-ts.config.js',
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

// Tests are not compiled, so changed tests need no build. Generated files follow from the OpenAPI document.
const hashOfSources = () => hashOf(sources, (file) => !/\.spec\.ts$|\bgenerated\b/.test(file));
const hashOfOutput = () => hashOf(['dist'], (file) => path.join(root, file) !== recordFile);

function readRecord() {
  try {
    return JSON.parse(readFileSync(recordFile, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs commands one after another until one fails, and sets the exit code to its status. */
async function run(...commands) {
  for (const [command, ...programArguments] of commands) {
    const [status] = await once(spawn(command, programArguments, { cwd: root, stdio: 'inherit' }), 'exit');
    if (status !== 0) return void (process.exitCode = status ?? 1);
  }
}

const script = (name) => [process.execPath, path.join('scripts', name)];

const commitDigits = 12;

/** Returns the commit, marked if files have changed since; `unknown` without Git, as in the build of the image. */
function readCommit() {
  if (process.env.SOURCE_COMMIT) return process.env.SOURCE_COMMIT.slice(0, commitDigits);
  const options = ['describe', '--always', `--abbrev=${commitDigits}`, '--exclude=*', '--dirty'];
  const { status, stdout } = spawnSync('git', options, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

const last = readRecord();
const isIncremental = process.argv.includes('--if-changed') && last !== undefined && last.output === hashOfOutput();
// Computed before the build, so that the next run builds again if a file changes meanwhile.
const sourceHash = hashOfSources();
if (!isIncremental || last.sources !== sourceHash) {
  console.log('Building the server and its pages, which takes about 15 s …');
  // Without the record of a complete build, tsc would not write files again that are missing.
  rmSync(isIncremental ? recordFile : path.join(root, 'dist'), { recursive: true, force: true });
  const tsc = [path.join(root, 'node_modules', '.bin', 'tsc'), '-p', 'tsconfig.build.json'];
  await Promise.all([run(tsc, script('bundle.js')), run(script('generate.js'), script('pages.js'))]);
  if (!process.exitCode) writeRecord({ sources: sourceHash, output: hashOfOutput() });
} else {
  // The tests need what it generates.
  await run(script('generate.js'));
  writeRecord(last);
}

function writeRecord(record) {
  writeFileSync(recordFile, JSON.stringify({ ...record, commit: readCommit() }));
}
