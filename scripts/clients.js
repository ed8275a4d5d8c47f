/**
 * Runs every command of the page "Other languages", which generate clients from the public OpenAPI document, and the
 * programs in Java and Go that it links. Compiles the clients in Python and TypeScript with the programs in `scripts/clients`, and runs
 * these. All call the built server with demo data. Fails if a command fails or a program prints something else.
 *
 *   node_modules/.bin/node scripts/clients.js
 *
 * Requires Python 3 with pip, Java with Maven, Go 1.24.3 or later, and curl. Everything else is installed into a
 * temporary folder or the caches of npm and Go.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { send, startServer } from './demo-server.js';

const page = path.join(import.meta.dirname, '../docs/integration-guide/other-languages.md');
const maximumTime = 20 * 60_000;

const folder = await mkdtemp(path.join(tmpdir(), 'clients-'));
const inFolder = (...names) => path.join(folder, ...names);
const environment = {
  ...process.env,
  PIP_TARGET: inFolder('python'),
  PYTHONPATH: inFolder('python'),
  PATH: `${inFolder('python', 'bin')}${path.delimiter}${process.env.PATH}`,
  MAVEN_OPTS: `-Dmaven.repo.local=${inFolder('maven')}`,
  // For programs that run for seconds, optimization costs more processor time than it saves.
  JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
};
const commands = new AbortController();
setTimeout(() => commands.abort(), maximumTime).unref();

/** The programs in `scripts/clients`, each of which is run in the folder of its client. */
const programs = ['hey-api.ts', 'typescript-fetch.ts', 'openapi_generator.py', 'openapi_python_client.py'];

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
  server = await startServer(inFolder('server'));
  Object.assign(environment, { API: `${server.url}/v1/public-api`, API_URL: server.url, API_KEY: server.apiKey });
  const [introduction, ...sections] = (await readFile(page, 'utf8')).split(/^## /m);
  // Without it, npm could install packages into a folder above.
  await writeFile(inFolder('package.json'), '{}');
  await runSection(introduction);
  const outcomes = await Promise.allSettled(sections.map(runSection));
  for (const { reason } of outcomes) if (reason !== undefined) throw reason;
  await runPrograms();
} finally {
  commands.abort();
  await server?.stop();
  // Programs that an aborted command has started can still write.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 1_000 });
}

/** Runs the commands of a section, and saves the program that it links: the commands after that print what it read. */
async function runSection(section) {
  let printed = '';
  let example;
  for (const [, linked, target, text] of section.matchAll(/\]\(([^)]+)\)[^`]* as `([^`]+)`|^```sh\n([^]*?)^```$/gm)) {
    if (text !== undefined) {
      printed = await run('bash', '-euc', text);
      continue;
    }
    example = target;
    await mkdir(path.dirname(inFolder(target)), { recursive: true });
    await cp(path.resolve(page, '..', linked), inFolder(target));
  }
  if (example === undefined) return;
  if (!/\d+ teams\ncreated Lakeside Owls\nerror 40001\n$/.test(printed))
    throw new Error(`${example} printed ${JSON.stringify(printed)}`);
  console.log(`${example}: ok`);
}

/** Compiles and runs the programs in `scripts/clients`. */
async function runPrograms() {
  const { game, sums } = await findGame(server);
  environment.GAME_ID = game;
  const created = { team: 'Client Hawks', player: 'Jordan Lee', eventTitle: 'Client Hawks vs Foxes', duration: 40 };
  const expected = { ...created, total: 1, sums };
  for (const program of programs) {
    const actual = JSON.parse(await runProgram(program));
    if (!isDeepStrictEqual(actual, expected))
      throw new Error(`${program} read ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    console.log(`${program}: ok`);
  }
}

/** Returns a game with statistics in every category, and the sums that the clients must read. */
async function findGame({ url, apiKey }) {
  const list = async (route) => (await send(`${url}/v1/public-api${route}`, apiKey)).data;
  for (const { _id: game } of await list('/schedules?eventType=game')) {
    const rows = await list(`/schedules/${game}/player-statistics`);
    const sums = Object.fromEntries(Object.keys(counters).map((category) => [category, 0]));
    for (const { category, stats } of rows) sums[category] += stats[counters[category]] ?? 0;
    if (Object.values(sums).every((sum) => sum > 0)) return { game, sums };
  }
  throw new Error('No demo game has statistics in every category');
}

/** Returns what a program prints, which is compiled in strict mode if it is in TypeScript. */
async function runProgram(program) {
  const { name, ext } = path.parse(program);
  await cp(path.join(import.meta.dirname, 'clients', program), inFolder(name, program));
  if (ext === '.py') return run('python3', inFolder(name, program));
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, types: ['node'], skipLibCheck: true },
    ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module: 'commonjs', moduleResolution: 'node10' },
  };
  await writeFile(inFolder(name, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [program] }));
  await run(process.execPath, inFolder('node_modules/typescript/bin/tsc'), '-p', inFolder(name));
  return run(process.execPath, inFolder(name, `${name}.js`));
}

/** Runs a command and returns its output; throws an error if it fails or takes too long, and prints that of the first one. */
async function run(command, ...parameters) {
  const options = { cwd: folder, env: environment, maxBuffer: 2 ** 26, signal: commands.signal };
  try {
    return (await promisify(execFile)(command, parameters, options)).stdout;
  } catch (error) {
    // Aborted commands fail, too, and perhaps in an earlier section.
    if (!commands.signal.aborted) console.error(error);
    commands.abort();
    throw error;
  }
}
