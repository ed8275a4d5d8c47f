import os from 'node:os';
import { MongoClient, ObjectId } from 'mongodb';
import { chromium } from 'playwright-core';
import { fillConsole } from './console/fill.js';
import { BenchOrganization } from './growth/organization.js';
import { median, table } from './support/figures.js';
import { writeSection } from './support/performance-page.js';
import { admin, logIn, startDatabase, startServer, superAdmin } from './support/server.js';

/**
 * `npm run bench:console`: opens each screen of the console in Chromium, with 2,000 organizations, 20,000 keys, 500
 * failing webhook endpoints and 20,000 players, and measures the time from the navigation until the rows are visible,
 * and the requests to the server.
 * Writes the table in bench/README.md between `console:begin` and `console:end`; `npm run bench:console -- <rounds>`
 * only prints. Ends with exit code 1 if a screen takes more than 1,000 ms.
 */
const rounds = Number(process.argv[2] ?? 5);

const database = await startDatabase();
const server = await startServer(database.uri, { WEBHOOK_WORKER: 'off', METRICS_PORT: 'off' });
const client = await new MongoClient(database.uri).connect();
const organization = await BenchOrganization.make(server);
const { _id: endpointId } = await organization.send('POST', '/webhook-endpoints', { url: 'https://example.com/' });
const { data: keys } = await admin(server, await logIn(server), 'GET', `/api-keys?organizationId=${organization.id}`);
const [{ id: keyId }] = keys;
const seasonId = (await organization.send('GET', '/seasons')).data[0]._id;
await fillConsole(client.db(), { organization: new ObjectId(organization.id), key: keyId });

const page = `/organizations/${organization.id}`;
const fill = (label, text) => (tab) => tab.getByRole('searchbox', { name: label }).fill(text);
const choose = (label, option) => (tab) => tab.getByLabel(label, { exact: true }).selectOption(option);
const search = (label, text) => async (tab) => {
  await tab.getByRole('combobox', { name: label }).fill(text);
  await tab.getByRole('option', { name: text }).first().click();
};

const findRecord = (text) => async (tab) => {
  await tab.getByRole('searchbox', { name: 'Search records' }).fill(text);
  await tab.getByRole('button', { name: 'Search', exact: true }).click();
};

/**
 * Screen, path, label of the table, or undefined for the whole page, a text of its first row, and what is done on the open
 * page, if that is measured.
 */
const views = [
  ['Overview', '/', 'Traffic by organization', ''],
  ['Overview', '/', 'Needs attention', ''],
  ['Organizations', '/organizations', 'Organizations', 'League'],
  ['Organizations', '/organizations', 'Organizations', 'League 01999', fill('Search organizations', '01999')],
  ['Organization, slowest of its tabs', page, 'People', ''],
  ['Organization, slowest of its tabs', `${page}?tab=keys`, 'Keys', 'Bench'],
  ['Organization, slowest of its tabs', `${page}?tab=seasons`, 'Seasons', 'Bench'],
  ['Organization, slowest of its tabs', `${page}?tab=webhooks`, 'Webhook endpoints', 'https'],
  ['Organization, slowest of its tabs', `${page}?tab=usage&hours=168`, 'Outcomes of requests', '40305'],
  ['Data', `${page}?tab=data`, undefined, '501 schedules'],
  ['Data', `${page}?tab=data`, 'Schedules', 'Game 00499', findRecord('Game 00499')],
  ['Data', `${page}?tab=data`, 'Players', 'Jordan Lee19999', findRecord('lee19999')],
  ['Keys', '/keys', 'Keys', 'Key 00000'],
  ['Keys', '/keys?page=1000', 'Keys', 'Key'],
  ['Keys', '/keys', 'Keys', 'Key 19999', fill('Search keys by name or prefix', 'key 19999')],
  ['Keys', '/keys', 'Keys', 'Key 12345', fill('Search keys by name or prefix', 'ffk_live_000000012345')],
  ['Keys', '/keys', 'Keys', 'Unused', choose('Filter', 'unused')],
  ['Key', `/keys/${keyId}`, 'Outcomes of requests', '40305'],
  ['Webhooks', '/webhooks', 'Webhook endpoints', 'partner-00000'],
  ['Webhooks', '/webhooks', 'Webhook endpoints', 'partner-00499', fill('Search URLs', 'partner-00499')],
  ['Webhooks', '/webhooks', 'Webhook endpoints', 'Active', choose('Status', 'active')],
  ['Webhook endpoint', `/webhooks/${endpointId}`, 'Deliveries', 'team.created'],
  ['Audit log', '/audit', 'Audit events', ''],
  ['Audit log', '/audit', 'Audit events', 'Edit organization', choose('Action', 'updateOrganization')],
  ['Audit log', '/audit', 'Audit events', 'League 01999', search('Organization', 'League 01999')],
  ['Season', `${page}/seasons/${seasonId}`, 'Games', 'Hawks'],
  ['Season', `${page}/seasons/${seasonId}`, 'Games', 'Postponed', choose('Status of the games', 'postponed')],
  ['Super admins', '/super-admins', 'Super admins', superAdmin.email],
  ['My account', '/account', 'My account', 'Name'],
];

/** Returns the time since the page was opened, once the text is in the first row or on the page. Runs in the page. */
const firstRow = ([label, text]) => {
  const row = globalThis.document.querySelector(label ? `table[aria-label="${label}"] tbody tr` : '#main');
  return row?.textContent.includes(text) && performance.now();
};

/** Returns the milliseconds until the rows are visible, and the requests of the screen. */
async function measure(tab, [path, label, text, act]) {
  let requests = 0;
  const count = (request) => (requests += request.resourceType() === 'fetch' ? 1 : 0);
  const waitForRow = async (wanted) =>
    (await tab.waitForFunction(firstRow, [label, wanted], { polling: 'raf', timeout: 30_000 })).jsonValue();
  if (act !== undefined) {
    await tab.goto(`/console${path}`, { waitUntil: 'networkidle' });
  }
  tab.on('request', count);
  let begun = 0;
  if (act === undefined) await tab.goto(`/console${path}`, { waitUntil: 'commit' });
  else {
    begun = await tab.evaluate(() => performance.now());
    await act(tab);
  }
  const milliseconds = (await waitForRow(text)) - begun;
  // Other parts of the screen can still send some.
  await tab.waitForTimeout(500);
  tab.off('request', count);
  return { milliseconds, requests };
}

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const tab = await browser.newPage({ baseURL: server.url.href, viewport: { width: 1440, height: 900 } });
  await tab.goto('/console/');
  await tab.getByLabel('Email', { exact: true }).fill(superAdmin.email);
  await tab.getByLabel('Password', { exact: true }).fill(superAdmin.password);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('button', { name: 'Sign out' }).waitFor();
  const screens = new Map();
  for (const [name, ...view] of views) {
    await measure(tab, view);
    const runs = [];
    for (let round = 0; round < rounds; round++) runs.push(await measure(tab, view));
    const [milliseconds, requests] = ['milliseconds', 'requests'].map((figure) =>
      median(runs.map((run) => run[figure])),
    );
    console.error(name, ...view.slice(0, 3), milliseconds.toFixed(0), requests);
    const cells = screens.get(name) ?? ['–', '–', '–', '–'];
    const at = view[3] === undefined ? 0 : 2;
    if (milliseconds > 1_000) process.exitCode = 1;
    if (!(cells[at] > milliseconds)) cells.splice(at, 2, Math.round(milliseconds), requests);
    screens.set(name, cells);
  }
  const rows = Array.from(screens, ([name, cells]) => [name, ...cells]);
  const note = `Node ${process.version}, ${new Date().toISOString().slice(0, 10)}; load ${os.loadavg()[0].toFixed(1)}`;
  console.log(table(['screen', 'opened, ms', 'requests', 'slowest search or filter, ms', 'requests'], rows));
  const slowest = (column) => {
    const [name, ...cells] = rows.toSorted(
      (one, other) => (Number(other[column]) || 0) - (Number(one[column]) || 0),
    )[0];
    return `${cells[column - 1]} ms (${name})`;
  };
  const result = `The slowest screen took ${slowest(1)}, the slowest search or filter ${slowest(3)}. ${note}.`;
  if (process.argv[2] === undefined) await writeSection('console', result, 'bench/README.md');
} finally {
  await browser.close();
  await client.close();
  await server.stop();
  await database.stop();
}
