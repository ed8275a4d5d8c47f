/**
 * Sends what Schemathesis makes of both published documents to built servers of their own, with demo data in a
 * folder that goes away afterwards. Fails where an answer is none that the document describes, and where nothing was tried.
 *
 *   npm run fuzz -- [--seed 20270501] [--cases 30] -- schemathesis
 *
 * What follows `--` is the command that Schemathesis is started with.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { faultsOf } from './fuzz-report.js';

/** The checks that are left out, and why. */
const uncheckable = {
  positive_data_acceptance: 'rules between fields have no place in a document, so that what fits it may be refused',
  object_level_authorization: 'needs two users; test/api/isolation.generated.spec.ts does it',
};

/** The operations that need not succeed, and why. */
const neverRight = {
  login: 'the document does not tell the password',
  changePassword: 'nor does it here',
  createOrganizationAdmin: 'the address in its example is taken by the creator of createOrganization',
};

const longestRun = 10 * 60_000;
const program = path.join(import.meta.dirname, '..', 'dist', 'bundle', 'main.js');
const longestStart = 120_000;

const { values, positionals: tool } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '20270501' }, cases: { type: 'string', default: '30' } },
});

/** Tries every operation of a published document on a new server; gives what speaks against the run. */
async function tryDocument(route, credential) {
  const folder = await mkdtemp(path.join(tmpdir(), 'fuzz-'));
  let server;
  try {
    server = await startServer(path.join(folder, 'server'));
    const records = await recordsOf(server);
    const text = JSON.stringify(await ask(server.address + route));
    const document = JSON.parse([...records].reduce((whole, [example, id]) => whole.replaceAll(example, id), text));
    const report = await schemathesis(document, server.address, server[credential], folder);
    const operations = operationsOf(document);
    const rightOnce = operations.filter(({ id }) => !(id in neverRight)).map(({ label }) => label);
    return faultsOf(report, operations.length, rightOnce).map((fault) => `${route}: ${fault}`);
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs Schemathesis with this document; gives its report. */
async function schemathesis(document, address, credential, folder) {
  const [file, report] = ['document.json', 'report.json'].map((name) => path.join(folder, name));
  await writeFile(file, JSON.stringify(document));
  await copyFile(path.join(import.meta.dirname, 'fuzz_hooks.py'), path.join(folder, 'fuzz_hooks.py'));
  const options = [
    ...['run', file, '--url', address, '--header', `Authorization: Bearer ${credential}`],
    ...['--checks', 'all', '--exclude-checks', Object.keys(uncheckable).join()],
    ...['--seed', values.seed, '--max-examples', values.cases, '--generation-database', 'none'],
    ...['--continue-on-failure', '--request-timeout', '20', '--warnings', 'off', '--no-color'],
    ...['--report', 'json', '--report-json-path', report],
  ];
  const [command, ...first] = tool;
  const run = spawn(command, [...first, ...options], {
    cwd: folder,
    env: { ...process.env, SCHEMATHESIS_HOOKS: 'fuzz_hooks' },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: longestRun,
  });
  await once(run, 'close');
  return JSON.parse(await readFile(report, 'utf8'));
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([route, item]) =>
    Object.entries(item).map(([method, { operationId }]) => {
      return { id: operationId, label: `${method.toUpperCase()} ${route}` };
    }),
  );
}

/**
 * Starts the built server as a first run does, on an embedded database with demo data, without limits in the way.
 *
 * @param {string} folder where it keeps its database
 * @returns its address, its demo key, a super admin's token, and `stop`
 * @throws Error with what it said where it does not become ready
 */
async function startServer(folder) {
  await mkdir(folder);
  const { PATH, HOME, MONGOD_BINARY } = process.env;
  const limits = { RATE_LIMIT_PER_MINUTE: '1000000000', AUTH_FAILURES_PER_MINUTE: '1000000000' };
  const env = { PATH, HOME, ...(MONGOD_BINARY && { MONGOD_BINARY }), ...limits, HOST: '127.0.0.1', PORT: '0' };
  const server = spawn(process.execPath, ['--enable-source-maps', program], { cwd: folder, env });
  const ended = once(server, 'close');
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (said += chunk));
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
  };
  try {
    // The last line of the welcome.
    const welcome = /^Address: (\S+)$[^]*^Demo API key: (\S+)$[^]*^Super admin: (\S+) \/ (\S+)$[^]*^curl /m;
    for (const late = Date.now() + longestStart; !welcome.test(said); await sleep(100)) {
      if (server.exitCode !== null || Date.now() > late) throw new Error(`The server does not start:\n${said}`);
    }
    const [, address, apiKey, email, password] = welcome.exec(said);
    const login = await ask(`${address}/auth/login`, undefined, { email, password });
    return { address, apiKey, token: login.accessToken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The records that the documents name in their examples, on this server: without them no route would ever succeed.
 *
 * @returns {Promise<Map<string, string>>} the ids by those that stand in the documents
 */
async function recordsOf({ address, apiKey, token }) {
  const list = async (route) => (await ask(`${address}/v1/public-api${route}`, apiKey)).data;
  const [season] = await list('/seasons');
  const game = (await list('/schedules?eventType=game')).find(({ teamTwoId }) => teamTwoId !== undefined);
  const [player] = await list(`/teams/${game.teamId}/players`);
  const { organizationId } = game;
  // Of those who may be revoked or changed, none that the run itself needs.
  const key = await ask(`${address}/api-keys`, token, { name: 'To be revoked', organizationId });
  const someone = { name: 'Sam Ortiz', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const user = await ask(`${address}/organizations/${organizationId}/users`, token, someone);
  return new Map([
    ['6650f1f77bcf86cd79943901', user._id],
    ['6650f1f77bcf86cd79943911', organizationId],
    ['6650f1f77bcf86cd79943921', key.id],
    ['6650f1f77bcf86cd79943931', season._id],
    ['6650f1f77bcf86cd79943941', game.teamId],
    ['6650f1f77bcf86cd79943942', game.teamTwoId],
    ['6650f1f77bcf86cd79943951', player._id],
    ['6650f1f77bcf86cd79943961', game._id],
  ]);
}

/** The JSON of an answer; a body is sent by POST. */
async function ask(url, credential, body) {
  const headers = { 'Content-Type': 'application/json', ...(credential && { Authorization: `Bearer ${credential}` }) };
  const answer = await fetch(url, (body && { method: 'POST', headers, body: JSON.stringify(body) }) || { headers });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const faults = [
  ...(await tryDocument('/openapi.json', 'apiKey')),
  ...(await tryDocument('/admin/openapi.json', 'token')),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
