import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `npm run build`: `nest build`, and beside it the web pages, all into `dist`, with the commit of SOURCE_COMMIT or of Git.
 * With `--if-changed` it does nothing if the sources and the contents of `dist` are those of the last build.
 */
const root = path.resolve(import.meta.dirname, '..');
const { node } = process.versions;
const required = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
// Here, because nearly every npm script begins with a build.
if (node.localeCompare(required, 'en', { numeric: true }) < 0) {
  console.error(
    `Node.js ${node} is too old. On Linux and Intel Macs, "npm ci" installs Node.js 24 for npm scripts; otherwise install ${required} or later.`,
  );
  process.exit(1);
}
/** Hashes of the sources and the output of the last build, and its commit. */
const recordFile = path.join(root, 'dist', 'build.json');
const sources = [
  'src',
  'clients',
  'console',
  'scripts/build.js',
  'scripts/documents.js',
  'scripts/generate.js',
  'scripts/pages.js',
  'docs/errors.md',
  'docs/integration-guide',
  'docs/llms.txt',
  'examples',
  'nest-cli.json',
  'openapi',
  'openapi-ts.config.js',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** Tests are not compiled, so changed tests need no build. Generated files follow from the OpenAPI document. */
const ignored = /\.spec\.ts$|^(clients\/\w+|console)\/(dist|node_modules)$|\/(generated|__pycache__)$/;

/** Returns a hash of the names and contents of files and folders. */
function hashOf(names, exceptFor) {
  const hash = createHash('sha256');
  for (const file of names.flatMap((name) => filesIn(name, exceptFor))) {
    const content = readFileSync(path.join(root, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesIn(name, exceptFor) {
  if (exceptFor.test(name)) return [];
  if (statSync(path.join(root, name)).isFile()) return [name];
  return readdirSync(path.join(root, name))
    .sort()
    .flatMap((entry) => filesIn(path.join(name, entry), exceptFor));
}

const hashOfOutput = () => hashOf(['dist'], /^dist\/build\.json$/);

function readRecord() {
  try {
    return JSON.parse(readFileSync(recordFile, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs programs one after another until one fails, and sets the exit code to its status. */
async function run(...commands) {
  for (const [program, ...programArguments] of commands) {
    const [status] = await once(spawn(program, programArguments, { cwd: root, stdio: 'inherit' }), 'exit');
    if (status !== 0) return void (process.exitCode = status ?? 1);
  }
}

const commitDigits = 12;

/** Returns the commit, marked if files have changed since; `unknown` without Git, as in the build of the image. */
function readCommit() {
  if (process.env.SOURCE_COMMIT) return process.env.SOURCE_COMMIT.slice(0, commitDigits);
  const options = ['describe', '--always', `--abbrev=${commitDigits}`, '--exclude=*', '--dirty'];
  const { status, stdout } = spawnSync('git', options, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

const generate = [process.execPath, 'scripts/generate.js'];
const last = process.argv.includes('--if-changed') ? readRecord() : undefined;
// Computed before the build, so that the next run builds again if a file changes meanwhile.
const sourceHash = hashOf(sources, ignored);
const isCurrent = last?.sources === sourceHash && last.output === hashOfOutput();
if (isCurrent) {
  // The tests need what it generates.
  await run(generate);
} else {
  console.log('Building the server and its pages, which takes about 15 s …');
  rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  const compile = [path.join(root, 'node_modules/.bin/nest'), 'build'];
  await Promise.all([run(compile), run(generate, [process.execPath, 'scripts/pages.js'])]);
}
if (!process.exitCode) {
  const record = { sources: sourceHash, output: isCurrent ? last.output : hashOfOutput(), commit: readCommit() };
  writeFileSync(recordFile, JSON.stringify(record));
}
