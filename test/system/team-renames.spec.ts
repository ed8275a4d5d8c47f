import { ObjectId } from 'mongodb';
import { CrashableServer } from '../support/crashable-server.js';
import { createOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { patchSchedule, secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const steady = RunningServer.forTests({});
const mortal = CrashableServer.forTests(steady);

it('a rename of a team with 10,000 games succeeds, and another server completes it after a crash', async () => {
  const many = 10_000;
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
  await mortal.crash();
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
