import { ObjectId } from 'mongodb';
import { expectError, expectFieldError } from '../support/expectations.js';
import { FeedMirror } from '../support/feed.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { bodyOf, patchSchedule, readSchedule, secondsFromNow } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);
let hawks: Stored;
let foxes: Stored;

beforeEach(async () => {
  hawks = await organization.team({ name: 'Hawks' });
  foxes = await organization.team({ name: 'Foxes', externalId: 'club-7' });
});

const game = (fields: Record<string, unknown> = {}) => {
  const upcoming = { startDate: secondsFromNow(3_600) };
  return organization.schedule(hawks._id, { ...upcoming, teamTwoId: foxes._id, teamTwoName: undefined, ...fields });
};
const patchTeam = (fields: Record<string, unknown>) => organization.call('patch', `/teams/${foxes._id}`).send(fields);
const upsertTeam = (fields: Record<string, unknown>) =>
  organization.call('patch', '/teams/by-external-id/club-7').send(fields);
const bulk = (path: string, row: Record<string, unknown>) =>
  organization.call('post', `${path}/bulk`).send({ rows: [row] });

describe('the new name of a team', () => {
  it.each<[string, (name: string) => PromiseLike<unknown>]>([
    ['a PATCH', (name) => patchTeam({ name }).expect(200)],
    ['an upsert', (name) => upsertTeam({ name }).expect(200)],
    ['a bulk row', (name) => bulk('/teams', { externalId: 'club-7', name }).expect(200)],
  ])('in %s is the name of the linked opponent of games that have not ended', async (_what, rename) => {
    const live = { startDate: secondsFromNow(-3_600), endDate: secondsFromNow(3_600) };
    const followed = [await game(), await game(live)];
    const kept = [
      await game({ startDate: secondsFromNow(-7_200) }),
      await game({ teamTwoName: 'The Foxes' }),
      await game({ teamTwoId: undefined, teamTwoName: 'Foxes' }),
      await game({ teamTwoId: (await organization.team({ name: 'Foxes' }))._id }),
    ];
    await rename('Wolves');
    const mirror = new FeedMirror(organization);
    for (const before of followed) {
      const after = await readSchedule(organization, before._id);
      const renamed = { teamTwoName: 'Wolves', eventTitle: 'Hawks vs Wolves', revision: 2 };
      expect(after).toEqual({ ...before, ...renamed, updatedAt: after['updatedAt'] });
      expect(Date.parse(String(after['updatedAt']))).toBeGreaterThan(Date.parse(String(before['updatedAt'])));
      const isListed = () => mirror.get('schedule', before._id)?.record?.['teamTwoName'] === 'Wolves';
      await mirror.followUntil('the change is in the feed', isListed);
    }
    expect(await Promise.all(kept.map(({ _id }) => readSchedule(organization, _id)))).toEqual(kept);
  });

  it('is in the generated titles of its own games that have not ended, and in no title that was set', async () => {
    const own = (fields: Record<string, unknown> = {}) => organization.schedule(foxes._id, fields);
    const upcoming = { startDate: secondsFromNow(3_600), teamTwoName: 'Guests' };
    const followed = [await own(upcoming), await own({ ...upcoming, eventType: 'practice' })];
    const set = await own(upcoming);
    await patchSchedule(organization, set._id, { teamId: foxes._id, eventTitle: 'Final: Foxes vs Guests' });
    const kept = [set, await own({ startDate: secondsFromNow(-7_200), teamTwoName: 'Guests' })];
    const before = await Promise.all(kept.map(({ _id }) => readSchedule(organization, _id)));
    await patchTeam({ name: 'Wolves' }).expect(200);
    const titles = followed.map(async ({ _id }) => (await readSchedule(organization, _id))['eventTitle']);
    expect(await Promise.all(titles)).toEqual(['Wolves vs Guests', 'Wolves practice']);
    expect(await Promise.all(kept.map(({ _id }) => readSchedule(organization, _id)))).toEqual(before);
  });

  it('is in the title after an update of a game that still has the former title', async () => {
    const { _id } = await game({ teamTwoId: undefined, teamTwoName: 'TBD' });
    await organization.call('patch', `/teams/${hawks._id}`).send({ name: 'Eagles' }).expect(200);
    const schedules = (await server.database()).collection('schedules');
    await schedules.updateOne({ _id: new ObjectId(_id) }, { $set: { eventTitle: 'Hawks vs TBD' } });
    const changed = await patchSchedule(organization, _id, { teamId: hawks._id, teamTwoId: foxes._id });
    expect(bodyOf(changed)['eventTitle']).toBe('Eagles vs Foxes');
  });

  it('reaches a game that a request with the old name creates during the rename', async () => {
    const { _id } = await game();
    await patchTeam({ name: 'Wolves' }).expect(200);
    const schedules = (await server.database()).collection('schedules');
    await schedules.updateOne({ _id: new ObjectId(_id) }, { $set: { teamTwoName: 'Foxes' } });
    await eventuallyPasses(
      async () => expect(await readSchedule(organization, _id)).toMatchObject({ teamTwoName: 'Wolves', revision: 3 }),
      30,
    );
  });

  it.each([
    ['A to B to C', ['Wolves', 'Bears'], ['Foxes', 'Wolves', 'Bears'], ['Bears', 'Bears', 'Bears']],
    ['back from B to A', ['Wolves', 'Foxes'], ['Foxes', 'Wolves'], ['Foxes', 'Foxes']],
  ])('replaces the former names after renames from %s, and no other name', async (_what, names, stored, expected) => {
    const games: Stored[] = [];
    for (const teamTwoName of [...stored, 'The Foxes']) games.push(await game({ teamTwoName }));
    for (const name of names) await patchTeam({ name }).expect(200);
    const found = async () => Promise.all(games.map(async ({ _id }) => readSchedule(organization, _id)));
    await eventuallyPasses(async () =>
      expect((await found()).map(({ teamTwoName }) => teamTwoName)).toEqual([...expected, 'The Foxes']),
    );
  });

  it('is that of each team after two teams swap their names in one request', async () => {
    const bears = await organization.team({ name: 'Bears', externalId: 'club-8' });
    const games = [await game(), await game({ teamTwoId: bears._id })];
    const rows = [
      { externalId: 'club-7', name: 'Bears' },
      { externalId: 'club-8', name: 'Foxes' },
    ];
    const swap = await organization.call('post', '/teams/bulk').send({ rows }).expect(200);
    expect(swap.body).toMatchObject({ summary: { updated: 2 } });
    const again = await organization.call('post', '/teams/bulk').send({ rows }).expect(200);
    expect(again.body).toMatchObject({ summary: { updated: 0, unchanged: 2 } });
    const swapped = games.map(({ _id }) => readSchedule(organization, _id));
    expect((await Promise.all(swapped)).map(({ teamTwoName }) => teamTwoName)).toEqual(['Bears', 'Foxes']);
  });

  it('leaves a team without games as it is, until it is deleted', async () => {
    const before = bodyOf(await organization.call('get', `/teams/${foxes._id}`).expect(200))['data'] as Stored;
    const renamed = bodyOf(await patchTeam({ name: 'Wolves' }).expect(200));
    const { updatedAt } = renamed;
    expect(renamed).toEqual({ ...before, name: 'Wolves', revision: 2, updatedAt });
    expect(bodyOf(await patchTeam({ name: 'Wolves' }).set('If-Match', '"2"').expect(200))).toEqual(renamed);
    await organization.call('delete', `/teams/${foxes._id}`).expect(200);
    const teams = (await server.database()).collection('teams');
    const formerNames = async () =>
      (await teams.findOne({ _id: new ObjectId(foxes._id) }))?.['formerNames'] as object[];
    expect(await formerNames()).toMatchObject([{ name: 'Foxes', changedBy: { type: 'key' } }]);
    await eventuallyPasses(async () => expect(await formerNames()).toEqual([]), 60);
  });

  it('is nowhere if the update is rejected', async () => {
    await organization.team({ externalId: 'taken' });
    const before = await game();
    expectError(await patchTeam({ name: 'Wolves', externalId: 'taken' }), 40905);
    expectError(await patchTeam({ name: 'Wolves' }).set('If-Match', '"9"'), 41201);
    expect(await readSchedule(organization, before._id)).toEqual(before);
  });

  it('is the same in the team and its games after renames at once', async () => {
    const { _id } = await game();
    const renames = Array.from({ length: 12 }, (_none, index) => ({ name: `Foxes ${index}` }));
    const responses = await Promise.all(renames.map((fields, index) => (index % 2 ? upsertTeam : patchTeam)(fields)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const team = (await organization.call('get', `/teams/${foxes._id}`)).body as { data: Stored };
    expect((await readSchedule(organization, _id))['teamTwoName']).toBe(team.data['name']);
  });
});

describe('teamTwoName: null', () => {
  const named = { externalId: 'game-1', teamTwoName: 'The Foxes' };
  const changes: [string, (fields: Record<string, unknown>, of: Stored) => PromiseLike<unknown>][] = [
    ['a PATCH', (fields, { _id }) => patchSchedule(organization, _id, { teamId: hawks._id, ...fields })],
    ['an upsert', (fields) => organization.call('patch', '/schedules/by-external-id/game-1').send(fields)],
    ['a bulk row', (fields) => bulk('/schedules', { externalId: 'game-1', ...fields })],
  ];

  it.each(changes)('in %s restores the name of the linked team, and its title', async (_what, change) => {
    const stored = await game(named);
    await change({ teamTwoName: null, eventTitle: null }, stored);
    const restored = { teamTwoName: 'Foxes', eventTitle: 'Hawks vs Foxes', revision: 2 };
    expect(await readSchedule(organization, stored._id)).toMatchObject({ ...restored, teamTwoId: foxes._id });
    await change({ teamTwoName: null, eventTitle: null }, stored);
    expect(await readSchedule(organization, stored._id)).toMatchObject(restored);
  });

  it('is rejected if no team is linked, or unlinked with it', async () => {
    const guest = await game({ teamTwoId: undefined, teamTwoName: 'Guests' });
    const linked = await game();
    for (const [{ _id }, fields] of [[guest, {}] as const, [linked, { teamTwoId: null }] as const]) {
      const sent = { teamId: hawks._id, ...fields, teamTwoName: null };
      expectFieldError(await patchSchedule(organization, _id, sent), 'teamTwoName');
    }
  });

  it('counts as not sent in an upsert that creates', async () => {
    const sent = { teamId: hawks._id, startDate: '2027-05-01T10:00:00Z', teamTwoName: null };
    const upsert = (fields: object) => organization.call('patch', '/schedules/by-external-id/new').send(fields);
    expectError(await upsert(sent), 40002);
    expect(bodyOf(await upsert({ ...sent, teamTwoId: foxes._id }).expect(201))['teamTwoName']).toBe('Foxes');
  });
});
