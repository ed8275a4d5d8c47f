import { createOrganization } from '../support/organization.js';
import { CrashableServer } from '../support/crashable-server.js';
import { RunningServer } from '../support/server.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { eventually } from '../support/processes.js';
import { expectDemoLeague } from '../support/sandbox.js';

const steady = RunningServer.forTests({});
const mortal = CrashableServer.forTests(steady);

/** Counts what a reset deletes first and creates last. */
async function progressOf(organizationId: string) {
  const database = await steady.database();
  const count = (name: string) =>
    database.collection(name).countDocuments({ organizationId: new ObjectId(organizationId) });
  return {
    links: await count('calendarLinks'),
    players: await count('players'),
    schedules: await count('schedules'),
  };
}

type Progress = Awaited<ReturnType<typeof progressOf>>;

it.each([
  ['deletes', ({ links, players }: Progress) => links < 4_000 && players === 0],
  ['creates the schedules', ({ links, schedules }: Progress) => links === 0 && schedules > 2],
])('a reset of a server that is killed while it %s is completed by a repetition', async (_what, isReached) => {
  const sandbox = await createOrganization(steady, 'Sandbox', { isSandbox: true });
  const organizationId = new ObjectId(sandbox.id);
  const links = Array.from({ length: 4_000 }, (_none, slot) => ({
    organizationId,
    slot,
    teamId: organizationId,
    tokenHash: `${sandbox.id} ${slot}`,
  }));
  await (await steady.database()).collection('calendarLinks').insertMany(links);
  const first = sandbox.over(mortal.server);
  await first.call('get', '/me').expect(200);
  const answered = new AbortController();
  const answer = first.call('post', '/sandbox/reset').then(
    () => answered.abort(),
    () => undefined,
  );
  while (!isReached(await progressOf(sandbox.id)) && !answered.signal.aborted) await sleep(5);
  await mortal.crash();
  await answer;
  // The first reset keeps others out until it can no longer write, and a slow machine may need several requests.
  const repeated = sandbox.over(mortal.server);
  const isReset = async () => (await repeated.call('post', '/sandbox/reset')).status === 200;
  await eventually('the sandbox is reset', isReset, 60);
  await expectDemoLeague(sandbox);
});
