/**
 * Runs Schemathesis with both OpenAPI documents against built servers with demo data in a temporary folder. Fails if a
 * response is not documented, or if nothing was tested.
 *
 *   npm run fuzz -- [--seed 20270501] [--cases 10] -- schemathesis
 *
 * After `--` follows the command that starts Schemathesis.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { send, startServer } from './demo-server.js';
import { problemsOf } from './fuzz-report.js';

/** Excluded checks and the reasons. */
const excludedChecks = {
  positive_data_acceptance: 'OpenAPI cannot express rules between fields, so valid data can be rejected',
  object_level_authorization: 'needs two users; test/api/isolation.spec.ts does it',
};

/** An invalid row of a bulk request is refused in a 200 response, by itself. */
const settings = `[[operations]]
include-path-regex = "/bulk$"
checks.negative_data_rejection.expected-statuses = ["200", "400", "401", "403", "404", "413", "415", "429", "503"]
`;

/** Operations that cannot succeed and the reasons. */
const expectedFailures = {
  login: 'the document does not contain the password',
  refresh: 'only browsers send the cookie',
  resetPassword: 'the document does not contain the token',
  changePassword: 'the document does not contain the password',
  createSecondFactor: 'the demo has no SECOND_FACTOR_KEY',
  confirmSecondFactor: 'the document does not contain the code',
  deleteSecondFactor: 'the document does not contain the password',
  resetSecondFactor: 'the document does not contain the password',
  upsertSchedule: 'the only valid requests have the If-Match of the example, which no new schedule has',
  retryDelivery: 'the endpoint of the examples is deleted before',
  retryAnyDelivery: 'the only deliveries of the demo are of another endpoint or deleted before',
  resetSandbox: 'the demo is no sandbox',
  eraseOrganization: 'the organization of the examples is enabled',
  deleteTeamByExternalId: 'the team with the external ID of the examples has players',
  createOrganizationAdmin: 'the creator of createOrganization has the email of its example',
};

const longestRun = 10 * 60_000;

const { values, positionals: tool } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '20270501' }, cases: { type: 'string', default: '10' } },
});

/** Tests every operation of a document on a new server and returns the problems. */
async function testDocument(name, credential) {
  const folder = await mkdtemp(path.join(tmpdir(), 'fuzz-'));
  let server;
  try {
    server = await startServer(path.join(folder, 'server'));
    const records = await recordsOf(server);
    const text = await readFile(path.join(import.meta.dirname, '..', name), 'utf8');
    const document = JSON.parse([...records].reduce((whole, [example, id]) => whole.replaceAll(example, id), text));
    // It would invalidate the token with which all operations are tested.
    delete document.paths['/auth/logout'];
    // They would take the place of the examples of single fields, which Schemathesis combines.
    for (const { requestBody } of Object.values(document.paths).flatMap(Object.values))
      delete requestBody?.content['application/json']?.example;
    adaptExamples(document);
    nameTeamsByIds(document.components.schemas);
    const report = await schemathesis(document, server.url, server[credential], folder);
    const operations = operationsOf(document);
    const mustSucceed = operations.filter(({ id }) => !(id in expectedFailures)).map(({ label }) => label);
    return problemsOf(report, operations.length, mustSucceed).map((problem) => `${name}: ${problem}`);
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Changes examples that the demo data refuse. */
function adaptExamples({ paths, components: { schemas } }) {
  const ofGame = Object.entries(paths).flatMap(([route, { get, patch, put }]) =>
    route.includes('/schedules/{scheduleId}') ? [get, patch, put] : [],
  );
  // The game has another revision.
  for (const { name, schema } of ofGame.flatMap((operation) => operation?.parameters ?? []))
    if (/^If-/.test(name)) delete schema.example;
  // The creator of an organization has the email of the example.
  if ('CreateSuperAdmin' in schemas) schemas.CreateSuperAdmin.properties.email.example = 'robin.hale@example.com';
  // Of the record whose ID is the example beside it.
  if ('HistoryKind' in schemas) schemas.HistoryKind.example = 'season';
}

/**
 * Leaves one of the two fields with which a request names a team: generated ones have both, which is invalid. OpenAPI could say
 * so only with alternatives, for which generators of clients create types without fields.
 */
function nameTeamsByIds(schemas) {
  for (const name of [
    'CreateSchedule',
    'UpdateSchedule',
    'UpsertSchedule',
    'ScheduleRow',
    'UpdatePlayer',
    'RosterRow',
  ]) {
    if (schemas[name] === undefined) continue;
    const { properties, required = [] } = schemas[name];
    delete properties.teamExternalId;
    delete properties.teamTwoExternalId;
    if (/^(Create|Update)Schedule$|^RosterRow$/.test(name)) required.push('teamId');
    if (required.length > 0) schemas[name].required = required;
  }
}

/** Runs Schemathesis with the document and returns its report. */
async function schemathesis(document, url, credential, folder) {
  const [file, report] = ['document.json', 'report.json'].map((name) => path.join(folder, name));
  await writeFile(file, JSON.stringify(document));
  await writeFile(path.join(folder, 'schemathesis.toml'), settings);
  await copyFile(path.join(import.meta.dirname, 'fuzz_hooks.py'), path.join(folder, 'fuzz_hooks.py'));
  const options = [
    ...['run', file, '--url', url, '--header', `Authorization: Bearer ${credential}`],
    ...['--checks', 'all', '--exclude-checks', Object.keys(excludedChecks).join()],
    ...['--seed', values.seed, '--max-examples', values.cases, '--generation-database', 'none'],
    ...['--continue-on-failure', '--request-timeout', '20', '--warnings', 'off', '--no-color'],
    ...['--report', 'json', '--report-json-path', report],
  ];
  const [command, ...first] = tool;
  const run = spawn(command, [...first, ...options], {
    cwd: folder,
    env: { ...process.env, SCHEMATHESIS_HOOKS: 'fuzz_hooks' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestRun,
  });
  // Printed at the end, because the other document is tested at the same time.
  let output = '';
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk) => (output += chunk));
  await once(run, 'close');
  process.stdout.write(output);
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
 * Creates or finds a record on this server for each ID in the examples of the documents; otherwise most routes would
 * never succeed.
 *
 * @returns {Promise<Map<string, string>>} the IDs by those in the documents
 */
async function recordsOf({ url, apiKey, token }) {
  const list = async (route) => (await send(`${url}/v1/public-api${route}`, apiKey)).data;
  const [season] = await list('/seasons');
  const game = (await list('/schedules?eventType=game')).find(({ teamTwoId }) => teamTwoId !== undefined);
  const [player] = await list(`/teams/${game.teamId}/players`);
  const { organizationId } = game;
  // A key and a user that the run can revoke or change without affecting itself.
  const key = await send(`${url}/api-keys`, token, { name: 'To be revoked', organizationId });
  const admin = { name: 'Sam Ortiz', email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const user = await send(`${url}/organizations/${organizationId}/users`, token, admin);
  // The demo's own endpoint is disabled, so that requests to it fail.
  for (const { _id } of await list('/webhook-endpoints')) {
    const headers = { Authorization: `Bearer ${apiKey}` };
    await fetch(`${url}/v1/public-api/webhook-endpoints/${_id}`, { method: 'DELETE', headers });
  }
  const link = await send(`${url}/v1/public-api/teams/${game.teamId}/calendar-links`, apiKey, {});
  const [, calendarToken] = /calendars\/(.+)\.ics$/.exec(link.url);
  const receiver = { url: 'https://erp.example.com/webhooks' };
  const endpoint = await send(`${url}/v1/public-api/webhook-endpoints`, apiKey, receiver);
  return new Map([
    ['6650f1f77bcf86cd79943901', user._id],
    ['6650f1f77bcf86cd79943911', organizationId],
    ['6650f1f77bcf86cd79943921', key.id],
    ['6650f1f77bcf86cd79943931', season._id],
    ['6650f1f77bcf86cd79943941', game.teamId],
    ['6650f1f77bcf86cd79943942', game.teamTwoId],
    ['6650f1f77bcf86cd79943951', player._id],
    ['6650f1f77bcf86cd79943961', game._id],
    ['6650f1f77bcf86cd79943991', endpoint._id],
    ['6650f1f77bcf86cd799439b1', link._id],
    ['ZlDx93vPhs15lDmxQ2FsZW5kYXItZXhhbXBsZS10b2tlbi1ub3Qtc2VjcmU', calendarToken],
  ]);
}

const found = await Promise.all([
  testDocument('openapi/public.json', 'apiKey'),
  testDocument('openapi/admin.json', 'token'),
]);
const problems = found.flat();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
