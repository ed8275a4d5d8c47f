import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { expectFailed, runAdmin } from '../support/admin-command.js';
import { updateOrganization } from '../support/admins.js';
import { expectInvalidKey } from '../support/expectations.js';
import { createFullOrganization } from '../support/full-organization.js';
import { unknownId } from '../support/http-routes.js';
import { metricsUrl } from '../support/metrics.js';
import type { TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { readAllStoredValues } from '../support/stored-values.js';

/** Nothing is erased completely before 30 s have passed. */
const longEnough = 90;

const started: RunningServer[] = [];
let server: RunningServer;

async function start(environment: Record<string, string> = {}): Promise<void> {
  server = await RunningServer.start({ METRICS_PORT: '0', ...environment });
  started.push(server);
}

beforeAll(() => start());
afterAll(() => Promise.all(started.map((one) => one.stop())));

/** Returns the collections that contain one of these texts. */
async function collectionsWith(texts: readonly string[], server: RunningServer): Promise<string[]> {
  const stored = await readAllStoredValues(await server.database());
  const found = stored.filter(({ text }) => texts.some((one) => text.includes(one)));
  return [...new Set(found.map(({ place }) => place.split('.')[0] ?? ''))].sort();
}

/** The word in all names of an organization, the email of its creator, its ID, and the IDs of all its records except audit events. */
async function tracesOf(word: string, { id, creator, server }: TestOrganization): Promise<string[]> {
  const collections = await (await server.database()).collections();
  const erased = collections.filter(({ collectionName }) => collectionName !== 'auditEvents');
  const filter = { organizationId: new ObjectId(id) };
  const ids = await Promise.all(erased.map((collection) => collection.distinct('_id', filter)));
  return [word, creator.email, id, ...ids.flat().map(String)];
}

/** Returns the traces when the server has written those that it writes later, such as counts of requests. */
async function allTracesOf(word: string, organization: TestOrganization): Promise<string[]> {
  let traces: string[] = [];
  const isComplete = async () => (traces = await tracesOf(word, organization)).length > 15;
  await eventually('all traces are stored', isComplete, 30);
  return traces;
}

/** IDs stay in the lines of earlier requests in the log. */
async function expectErased(organization: TestOrganization, traces: readonly string[]): Promise<void> {
  const { server } = organization;
  const [word = '', email = ''] = traces;
  expect(await collectionsWith(traces, server)).toEqual(['auditEvents']);
  const metrics = await (await fetch(metricsUrl(server))).text();
  expect(traces.filter((trace) => metrics.includes(trace))).toEqual([]);
  expect([server.log.includes(word), server.log.includes(email)]).toEqual([false, false]);
  expectInvalidKey(await organization.call('get', '/changes'));
}

it('is resumed after the only server was killed, and leaves only audit events', async () => {
  const word = `erased${randomUUID()}`;
  const { organization } = await createFullOrganization(server, word);
  const { id } = organization;
  const organizationId = new ObjectId(id);
  const requests = (await server.database()).collection('requestCounts');
  const links = (await server.database()).collection('calendarLinks');
  await organization.call('get', `/teams/${unknownId}`).expect(403);
  await eventually('usage is counted', async () => (await requests.countDocuments({ organizationId })) > 0, 30);
  const traces = await allTracesOf(word, organization);
  const many = 10_000;
  const more = Array.from({ length: many }, (_none, slot) => ({
    ...{ organizationId, teamId: organizationId, slot, tokenHash: `${id} ${slot}`, description: word },
  }));
  await links.insertMany(more);
  await updateOrganization(server, id, { disabled: true }).expect(200);
  const erasure = server.asSuperAdmin('post', `/organizations/${id}/erase`);
  await erasure.send({ name: `${word} organization` }).expect(202);
  while ((await links.estimatedDocumentCount()) > many) await sleep(5);
  const killed = server;
  await killed.end('SIGKILL');
  expect(await links.countDocuments({ organizationId })).toBeGreaterThan(0);
  await start({ MONGODB_URI: killed.databaseUri });
  const isGone = async () => (await server.asSuperAdmin('get', `/organizations/${id}`)).status === 404;
  await eventually('the organization is erased', isGone, longEnough);
  await expectErased(organization.over(server), traces);
  expect([killed.log.includes(word), killed.log.includes(organization.creator.email)]).toEqual([false, false]);
}, 150_000);

it('is done on the command line, which also exports a player', async () => {
  const run = (stdin: string, ...given: string[]) =>
    runAdmin(given, { environment: { MONGODB_URI: server.databaseUri }, stdin });
  const word = `erased${randomUUID()}`;
  const full = await createFullOrganization(server, word);
  const { player, organization } = full;
  const traces = await allTracesOf(word, organization);
  const exported = await run('', 'export-player', player._id);
  expect(exported).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(exported.stdout)).toMatchObject({
    player: { name: `${word} player`, idempotency: { answer: expect.stringContaining(word) as string } },
    statistics: [{ playerName: `${word} player` }],
  });

  const erase = (name: string) => run(`${name}\n`, 'erase-organization', organization.id);
  await updateOrganization(server, organization.id, { disabled: true }).expect(200);
  expectFailed(await erase('Another organization'), /name must be the name of the organization/);
  const erased = await erase(`${word} organization`);
  expect(erased).toMatchObject({ code: 0, stdout: `Erased the organization ${organization.id}.\n` });
  await expectErased(organization, traces);
}, 150_000);
