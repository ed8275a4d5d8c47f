import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { expectFailed, runAdmin } from '../support/admin-command.js';
import { updateOrganization } from '../support/admins.js';
import { expectInvalidKey } from '../support/expectations.js';
import { createFullOrganization, type FullOrganization } from '../support/full-organization.js';
import { unknownId } from '../support/http-routes.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { readAllStoredValues } from '../support/stored-values.js';

/** Nothing is erased completely before 30 s have passed. */
const longEnough = 90;

let steady: RunningServer;
let mortal: RunningServer;

beforeAll(async () => {
  steady = await RunningServer.start();
  mortal = await RunningServer.start({ MONGODB_URI: steady.databaseUri });
}, 60_000);

afterAll(async () => {
  await mortal.end('SIGKILL');
  await steady.stop();
});

const run = (stdin: string, ...given: string[]) =>
  runAdmin(given, { environment: { MONGODB_URI: steady.databaseUri }, stdin });

/** Returns the collections that contain one of these texts. */
async function collectionsWith(texts: readonly string[]): Promise<string[]> {
  const stored = await readAllStoredValues(await steady.database());
  const found = stored.filter(({ text }) => texts.some((one) => text.includes(one)));
  return [...new Set(found.map(({ place }) => place.split('.')[0] ?? ''))].sort();
}

/** The word in all names of an organization, and the IDs of its records. */
function tracesOf(word: string, { organization, team, player, schedule, live, calendarLink }: FullOrganization) {
  return [word, organization.id, ...[team, player, schedule, live, calendarLink].map(({ _id }) => _id)];
}

async function expectErased(word: string, full: FullOrganization): Promise<void> {
  const { organization } = full;
  expect(await collectionsWith(tracesOf(word, full))).toEqual(['auditEvents']);
  expectInvalidKey(await organization.over(steady).call('get', '/changes'));
  expect(steady.log).not.toContain(word);
}

it('is completed by another server after a kill, and leaves only audit events', async () => {
  const word = `erased${randomUUID()}`;
  const full = await createFullOrganization(steady, word);
  const { id } = full.organization;
  const organizationId = new ObjectId(id);
  const requests = (await steady.database()).collection('requestCounts');
  const links = (await steady.database()).collection('calendarLinks');
  const many = 30_000;
  const more = Array.from({ length: many }, (_none, slot) => ({
    ...{ organizationId, teamId: organizationId, slot, tokenHash: `${id} ${slot}`, description: word },
  }));
  await links.insertMany(more);
  await eventually('usage is counted', async () => (await requests.countDocuments({ organizationId })) > 0, 30);
  await updateOrganization(steady, id, { disabled: true }).expect(200);
  const erasure = steady.asSuperAdmin('post', `/organizations/${id}/erase`);
  await erasure.send({ name: `${word} organization` }).expect(202);
  while ((await links.countDocuments({ organizationId })) > many) await sleep(5);
  await mortal.end('SIGKILL');
  const isGone = async () => (await steady.asSuperAdmin('get', `/organizations/${id}`)).status === 404;
  await eventually('the organization is erased', isGone, longEnough);
  await expectErased(word, full);
}, 150_000);

it('is done on the command line, which also exports a player', async () => {
  const word = `erased${randomUUID()}`;
  const full = await createFullOrganization(steady, word);
  const { player, organization } = full;
  const exported = await run('', 'export-player', player._id);
  expect(exported).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(exported.stdout)).toMatchObject({
    player: { name: `${word} player`, idempotency: { answer: expect.stringContaining(word) as string } },
    statistics: [{ playerName: `${word} player` }],
  });
  expectFailed(await run('', 'export-player', unknownId), `No player has the ID ${unknownId}`);

  const erase = (name: string) => run(`${name}\n`, 'erase-organization', organization.id);
  expectFailed(await erase(`${word} organization`), /The organization is enabled/);
  await updateOrganization(steady, organization.id, { disabled: true }).expect(200);
  expectFailed(await erase('Another organization'), /name must be the name of the organization/);
  const erased = await erase(`${word} organization`);
  expect(erased).toMatchObject({ code: 0, stdout: `Erased the organization ${organization.id}.\n` });
  await expectErased(word, full);
}, 150_000);
