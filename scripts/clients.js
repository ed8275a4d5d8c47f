/**
 * Generates clients from the public OpenAPI document with four generators, compiles them, and runs a program with each
 * against the built server. Fails if a client cannot be generated or compiled, or reads other values than expected. Also
 * compiles a Java client, with the library whose types are the strictest.
 *
 *   node_modules/.bin/node scripts/clients.js
 *
 * Requires Python 3 with pip, Java and Maven. The generators are installed into a temporary folder.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { send, startServer } from './demo-server.js';

const packages = {
  npm: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', '@types/node@24.19.2'],
  pip: ['openapi-python-client==0.29.0', 'pydantic==2.12.5', 'urllib3==2.6.2', 'python-dateutil==2.9.0.post0'],
  maven: 'org.openapitools:openapi-generator-cli:7.17.0',
};
const maximumTime = 5 * 60_000;

const folder = await mkdtemp(path.join(tmpdir(), 'clients-'));
const inFolder = (...names) => path.join(folder, ...names);
const document = path.join(import.meta.dirname, '..', 'openapi', 'public.json');
const environment = {
  ...process.env,
  PYTHONPATH: inFolder('python'),
  PATH: `${inFolder('python', 'bin')}${path.delimiter}${process.env.PATH}`,
};
const commands = new AbortController();
setTimeout(() => commands.abort(), maximumTime).unref();

/** The programs in `scripts/clients`, each with the function that generates the client `client` beside it. */
const programs = {
  'hey-api.ts': (output) => node('@hey-api/openapi-ts/bin/run.js', '--silent', '-i', document, '-o', output),
  'typescript-fetch.ts': (output) => openapiGenerator('typescript-fetch', output),
  'openapi_generator.py': (output) =>
    openapiGenerator('python', path.dirname(output), '--additional-properties=packageName=client'),
  'openapi_python_client.py': (output) =>
    python('openapi_python_client', 'generate', '--path', document, '--meta', 'none', '--output-path', output),
};

/** The counter that the programs sum up for each category. */
const counters = {
  qb: 'completions',
  offensive: 'receptions',
  defensive: 'flagPulls',
  punt: 'punts',
  return: 'kickReturns',
};

let server;
try {
  await installGenerators();
  await Promise.all([...Object.entries(programs).map(generateClient), compileJava(inFolder('java'))]);
  server = await startServer(inFolder('server'));
  const { game, sums } = await findGame(server);
  Object.assign(environment, { API_ADDRESS: server.address, API_KEY: server.apiKey, GAME_ID: game });
  const created = { team: 'Client Hawks', player: 'Jordan Lee', eventTitle: 'Client Hawks vs Foxes', duration: 40 };
  const expected = { ...created, total: 1, sums };
  for (const program of Object.keys(programs)) {
    const actual = JSON.parse(await runProgram(program));
    if (!isDeepStrictEqual(actual, expected))
      throw new Error(`${program} read ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    console.log(`${program}: ok`);
  }
} finally {
  commands.abort();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}

function installGenerators() {
  return Promise.all([
    run('npm', 'install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...packages.npm),
    python('pip', 'install', '--quiet', '--target', inFolder('python'), ...packages.pip),
    run(
      ...['mvn', '--batch-mode', '--quiet', `-Dmaven.repo.local=${inFolder('maven')}`, 'dependency:copy'],
      ...[`-Dartifact=${packages.maven}`, `-DoutputDirectory=${folder}`, '-Dmdep.stripVersion=true'],
    ),
  ]);
}

/** Returns a game with statistics in every category, and the sums that the clients must read. */
async function findGame({ address, apiKey }) {
  const read = async (route) => (await send(`${address}/v1/public-api${route}`, apiKey)).data;
  for (const { _id: game } of await read('/schedules?eventType=game')) {
    const rows = await read(`/schedules/${game}/player-statistics`);
    const sums = Object.fromEntries(Object.keys(counters).map((category) => [category, 0]));
    for (const { category, stats } of rows) sums[category] += stats[counters[category]] ?? 0;
    if (Object.values(sums).every((sum) => sum > 0)) return { game, sums };
  }
  throw new Error('No demo game has statistics in every category');
}

/** Generates a client and, for TypeScript, compiles it with its program in strict mode. */
async function generateClient([program, generate]) {
  const { name, ext } = path.parse(program);
  await cp(path.join(import.meta.dirname, 'clients', program), inFolder(name, program));
  await generate(inFolder(name, 'client'));
  if (ext === '.py') return;
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, types: ['node'], skipLibCheck: true },
    ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module: 'commonjs', moduleResolution: 'node10' },
  };
  await writeFile(inFolder(name, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [program] }));
  await node('typescript/bin/tsc', '-p', inFolder(name));
}

async function compileJava(output) {
  await openapiGenerator('java', output, '--library', 'native');
  const pom = path.join(output, 'pom.xml');
  await run('mvn', '--batch-mode', '--quiet', `-Dmaven.repo.local=${inFolder('maven')}`, '--file', pom, 'compile');
  console.log('java: ok');
}

/** Returns what a program prints. */
function runProgram(program) {
  const { name, ext } = path.parse(program);
  return ext === '.py' ? run('python3', inFolder(name, program)) : run(process.execPath, inFolder(name, `${name}.js`));
}

function openapiGenerator(name, output, ...options) {
  const generate = ['-jar', inFolder('openapi-generator-cli.jar'), 'generate', '-i', document, '-g', name];
  return run('java', ...generate, '-o', output, ...options);
}

function python(module, ...parameters) {
  return run('python3', '-m', module, ...parameters);
}

function node(script, ...parameters) {
  return run(process.execPath, inFolder('node_modules', script), ...parameters);
}

/** Runs a command and returns its output; prints it and throws an error if it fails or takes too long. */
async function run(command, ...parameters) {
  const options = { cwd: folder, env: environment, maxBuffer: 2 ** 26, signal: commands.signal };
  try {
    return (await promisify(execFile)(command, parameters, options)).stdout;
  } catch (error) {
    console.error(error.stdout);
    throw error;
  }
}
