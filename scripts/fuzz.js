/**
 * Sends what Schemathesis makes of both published documents to built servers of their own, with demo data in a
 * folder that goes away afterwards. Fails where an answer is none that the document describes, and where nothing was tried.
 *
 *   npm run fuzz -- [--seed 20270501] [--cases 30] -- schemathesis
 *
 * What follows `--` is the command that Schemathesis is started with.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { faultsOf } from './fuzz-report.js';
import { ask, recordsOf, startServer } from './fuzz-server.js';

/** The checks that are left out, and why. */
const uncheckable = {
  positive_data_acceptance: 'rules between fields have no place in a document, so that what fits it may be refused',
  object_level_authorization: 'needs two users; test/contract/isolation.generated.spec.ts does it',
};

/** The operations that need not succeed, and why. */
const neverRight = {
  login: 'the document does not tell the password',
  changePassword: 'nor does it here',
  createOrganizationAdmin: 'the address in its example is taken by the creator of createOrganization',
};

const longestRun = 10 * 60_000;

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

const faults = [
  ...(await tryDocument('/openapi.json', 'apiKey')),
  ...(await tryDocument('/admin/openapi.json', 'token')),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
