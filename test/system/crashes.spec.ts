import { createOrganization } from '../support/organization.js';
import { CrashableServer } from '../support/crashable-server.js';
import { RunningServer } from '../support/server.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { expectDemoLeague } from '../support/sandbox.js';
import { patchSchedule, secondsFromNow } from '../support/schedules.js';

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

it('a rename of a team with 5,000 games succeeds, and another server completes it after a crash', async () => {
  const many = 5_000;
  const database = await steady.database();
  const schedules = database.collection('schedules');
  const organization = await createOrganization(steady);
  const [hawks, foxes] = [await organization.team({ name: 'Hawks' }), await organization.team({ name: 'Foxes' })];
  const organizationId = new ObjectId(organization.id);
  const linked = { startDate: secondsFromNow(3_600), teamTwoId: foxes._id, teamTwoName: undefined };
  const first = await organization.schedule(hawks._id, linked);
  const stored = await schedules.findOne({ _id: new ObjectId(first._id) });
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const games = Array.from({ length: many - 1 }, (_none, index) => {
    const times = { startDate: at(120 + index), endDate: at(150 + index) };
    return { ...stored, ...times, _id: new ObjectId() };
  });
  await schedules.insertMany(games);

  const since = new Date();
  const renaming = organization.over(mortal.server).call('patch', `/teams/${foxes._id}`).send({ name: 'Wolves' });
  expect((await renaming).status).toBe(200);
  const renamed = { organizationId, teamTwoName: 'Wolves' };
  expect(await schedules.countDocuments(renamed)).toBeGreaterThan(0);
  await mortal.server.end('SIGKILL');
  expect(await schedules.countDocuments(renamed)).toBeLessThan(many);
  const last = String(games.at(-1)?._id);
  expect((await patchSchedule(organization, last, { teamId: hawks._id, locationName: 'Park' })).status).toBe(200);

  const expected = { ...renamed, revision: 2, 'changedBy.type': 'key' };
  await eventuallyPasses(async () => expect(await schedules.countDocuments(expected)).toBe(many - 1), 120);
  const changed = { teamTwoName: 'Wolves', revision: 3, locationName: 'Park' };
  expect(await schedules.findOne({ _id: new ObjectId(last) })).toMatchObject(changed);
  const rows = { organizationId, kind: 'schedule', changedAt: { $gte: since } };
  await eventuallyPasses(async () => expect(await database.collection('changes').countDocuments(rows)).toBe(many), 60);
}, 240_000);
