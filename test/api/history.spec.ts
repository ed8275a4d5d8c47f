import { ObjectId } from 'mongodb';
import { expectError, expectFieldError } from '../support/expectations.js';
import { foldHistory, historyFieldsOf, historyUntil, readHistory } from '../support/history.js';
import { createKey, createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { eventuallyPasses } from '../support/processes.js';
import { RunningServer } from '../support/server.js';
import { changesOf } from '../support/stored-events.js';
import { FeedMirror } from '../support/feed.js';
import { kindNames, synchronizedRecords } from '../support/synchronized.js';

const server = RunningServer.forTests();

const own = TestOrganization.forTests(server);

const patch = async (path: string, body: object): Promise<Stored> =>
  (await own.call('patch', path).send(body).expect(200)).body as Stored;
const adminPath = (kind: string, id: string, organizationId = own.id) =>
  `/organizations/${organizationId}/records/${kind}/${id}/history`;

describe('the history of a record', () => {
  it('has the creation, each update with the values before and after, and the deletion', async () => {
    const team = await own.team({ name: 'Hawks', logoUrl: 'https://example.com/1.png' });
    const path = `/teams/${team._id}`;
    await patch(path, { name: 'Falcons' });
    // Changes nothing, so that there is no entry.
    await patch(path, { name: 'Falcons' });
    await server.asSuperAdmin('patch', path).send({}).expect(404);
    await patch(path, { logoUrl: null, externalId: 'club-7' });
    await own.call('delete', path).expect(200);
    const history = await historyUntil(own, path, 4);
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const changedBy = own.asChangedBy();
    const { name, season, logoUrl } = team;
    const created = {
      name,
      season,
      footballType: 'flag',
      ageGroup: 'open',
      gender: 'coed',
      isArchived: false,
      logoUrl,
    };
    expect(history).toEqual([
      {
        ...{ revision: 1, at, changedBy, action: 'created' },
        changes: expect.arrayContaining(Object.entries(created).map(([field, to]) => ({ field, to }))) as unknown[],
      },
      { revision: 2, at, changedBy, action: 'updated', changes: [{ field: 'name', from: 'Hawks', to: 'Falcons' }] },
      {
        ...{ revision: 3, at, changedBy, action: 'updated' },
        changes: [
          { field: 'logoUrl', from: logoUrl, to: null },
          { field: 'externalId', from: null, to: 'club-7' },
        ],
      },
      { revision: 4, at, changedBy, action: 'deleted', changes: [] },
    ]);
    expect(history[0]?.changes).toHaveLength(7);
    const listed = await server.asSuperAdmin('get', adminPath('team', team._id)).expect(200);
    expect(listed.body).toEqual({ data: history.toReversed() });
  });

  it('of a player says who moved the player to another team, where it is found from then on', async () => {
    const [one, two] = [await own.team(), await own.team()];
    const player = await own.player(one._id, { position: ['QB', 'WR', 'CB'] });
    const other = own.withKey(await createKey(server, own.id, { name: 'League office' }));
    const path = `/teams/${two._id}/players/${player._id}`;
    await other.call('patch', `/teams/${one._id}/players/${player._id}`).send({ teamId: two._id }).expect(200);
    await other
      .call('patch', path)
      .send({ position: ['QB', 'WR', 'DB'] })
      .expect(200);
    const [, moved, updated] = await historyUntil(own, path, 3);
    const changedBy = { ...other.asChangedBy(), name: 'League office' };
    expect(moved).toMatchObject({ action: 'moved', changedBy });
    expect(moved?.changes).toEqual([{ field: 'teamId', from: one._id, to: two._id }]);
    expect(updated).toMatchObject({ action: 'updated', changedBy });
    expect(updated?.changes).toEqual([{ field: 'position', from: ['QB', 'WR', 'CB'], to: ['QB', 'WR', 'DB'] }]);
    expectError(await own.call('get', `/teams/${one._id}/players/${player._id}/history`), 40403);
    await server.asSuperAdmin('get', adminPath('player', player._id)).expect(200);
    expect((await changesOf(server, player._id)).map(({ action }) => action)).toEqual(['readPlayer']);
  });

  it('of a schedule has its values as in responses: a changed part of an object, and times', async () => {
    const team = await own.team();
    const location = { latitude: 37.8, longitude: -122.27, place: { name: 'Riverside Park, the large one', field: 3 } };
    const schedule = await own.schedule(team._id, { location });
    const path = `/schedules/${schedule._id}`;
    const moved = { ...location, place: { name: 'Riverside Park, the large one' } };
    await patch(path, { teamId: team._id, location: moved });
    await patch(path, { teamId: team._id, startDate: '2027-05-01T12:00:00Z', location: 'Riverside Park' });
    const [first, ...others] = await historyUntil(own, path, 3);
    const { revisions } = foldHistory(first ? [first] : []);
    expect(revisions.get(1)).toEqual(historyFieldsOf('schedule', schedule));
    expect(others.map(({ changes }) => changes)).toEqual([
      [{ field: 'location', from: location, to: moved }],
      [
        { field: 'startDate', from: '2027-05-01T10:00:00.000Z', to: '2027-05-01T12:00:00.000Z' },
        { field: 'endDate', from: '2027-05-01T10:30:00.000Z', to: '2027-05-01T12:30:00.000Z' },
        { field: 'location', from: moved, to: 'Riverside Park' },
      ],
    ]);
  });

  it('of a season has changes by admins, and is read by super admins', async () => {
    const season = await own.season();
    const standings = { winPoints: 3, tiePoints: 1 };
    await server.asSuperAdmin('patch', `/seasons/${season._id}`).send({ standings }).expect(200);
    await eventuallyPasses(async () => {
      const listed = await server.asSuperAdmin('get', adminPath('season', season._id)).expect(200);
      expect((listed.body as { data: object[] }).data[0]).toMatchObject({
        ...{ revision: 2, action: 'updated', changedBy: { type: 'admin' } },
        changes: [{ field: 'standings', from: null, to: standings }],
      });
    }, 20);
  });

  it('is the same in pages of any size', async () => {
    const team = await own.team();
    const path = `/teams/${team._id}`;
    for (let turn = 0; turn < 6; turn++)
      await patch(path, turn % 2 === 0 ? { name: `Hawks ${turn}` } : { gender: `open ${turn}`, name: 'Hawks' });
    const history = await historyUntil(own, path, 7);
    for (const limit of [1, 2, 3]) expect(await readHistory(own, path, limit)).toEqual(history);
    expect(foldHistory(history).problems).toEqual([]);
    const { nextCursor } = (await own.call('get', `${path}/history?limit=1`)).body as { nextCursor: string };
    const other = await own.team();
    const foreign = await own.call('get', `/teams/${other._id}/history`).query({ cursor: nextCursor });
    expectFieldError(foreign, 'cursor');
  });

  it('shows no value before that is older than the history, instead of a wrong one', async () => {
    const team = await own.team({ name: 'Hawks' });
    const path = `/teams/${team._id}`;
    await patch(path, { name: 'Falcons' });
    await historyUntil(own, path, 2);
    const stored = (await server.database()).collection<{ _id: string }>('recordHistory');
    await stored.deleteMany({ _id: { $regex: `^team\\.${team._id}\\.` } });
    await patch(path, { name: 'Kites' });
    await historyUntil(own, path, 3);
    await patch(path, { name: 'Owls', logoUrl: 'https://example.com/1.png' });
    const changedBy = own.asChangedBy();
    expect(await historyUntil(own, path, 4)).toMatchObject([
      { revision: 3, changedBy, changes: [{ field: 'name', to: 'Kites' }] },
      { revision: 4, changedBy, changes: [{ field: 'name', from: 'Kites', to: 'Owls' }, { field: 'logoUrl' }] },
    ]);
    const [third] = await readHistory(own, path);
    expect(third?.changes).toEqual([{ field: 'name', to: 'Kites' }]);
    await patch(path, { name: 'Crows' });
    await historyUntil(own, path, 5);
    // As if MongoDB had lost the change stream.
    await stored.deleteOne({ _id: { $regex: `^team\\.${team._id}\\.0*4$` } });
    for (const limit of [1, 20]) {
      const history = await readHistory(own, path, limit);
      expect(history.map(({ changes }) => changes)).toEqual([
        [{ field: 'name', to: 'Kites' }],
        [{ field: 'name', to: 'Crows' }],
      ]);
    }
  });
});

describe('access to a history', () => {
  it('of super admins needs a record of the organization', async () => {
    const team = await own.team();
    const player = await own.player(team._id);
    const schedule = await own.schedule(team._id);
    const other = await createOrganization(server);
    for (const [kind, { _id }, code] of [
      ['team', team, 40401],
      ['player', player, 40403],
      ['schedule', schedule, 40402],
    ] as const)
      expectError(await server.asSuperAdmin('get', adminPath(kind, _id, other.id)), code);
    expectError(await server.asSuperAdmin('get', adminPath('season', team._id)), 40404);
    expectFieldError(await server.asSuperAdmin('get', adminPath('playerStatistics', team._id)), 'kind');
  });

  it('ends when the player is erased', async () => {
    const team = await own.team();
    const player = await own.player(team._id, { name: 'Erin Person' });
    const path = `/teams/${team._id}/players/${player._id}`;
    await patch(path, { email: 'erin@example.com' });
    await historyUntil(own, path, 2);
    const exported = await server.asSuperAdmin('get', `/players/${player._id}/export`).expect(200);
    expect((exported.body as { history: unknown[] }).history).toMatchObject([
      { action: 'created', values: { name: 'Erin Person' } },
      { action: 'updated', values: { email: 'erin@example.com' } },
    ]);
    const stored = (await server.database()).collection<{ _id: string }>('recordHistory');
    const filter = { _id: { $regex: `^player\\.${player._id}\\.` } };
    await server.asSuperAdmin('post', `/players/${player._id}/erase`).expect(200);
    await eventuallyPasses(async () => {
      expect(await stored.countDocuments(filter)).toBe(0);
    }, 20);
    expectError(await own.call('get', `${path}/history`), 40403);
    expectError(await server.asSuperAdmin('get', adminPath('player', player._id)), 40403);
  });

  it('ends for records that are deleted for good after the time of deleted players', async () => {
    const team = await own.team();
    const player = await own.player(team._id);
    await historyUntil(own, `/teams/${team._id}/players/${player._id}`, 1);
    const database = await server.database();
    await database.collection('players').deleteOne({ _id: new ObjectId(player._id) });
    const stored = database.collection<{ _id: string }>('recordHistory');
    await eventuallyPasses(async () => {
      expect(await stored.countDocuments({ _id: { $regex: `^player\\.${player._id}\\.` } })).toBe(0);
    }, 20);
  });
});

/** Two partners with a key each. */
async function twoPartners(): Promise<{ first: TestOrganization; second: TestOrganization; ofSecond: object }> {
  const first = await createOrganization(server);
  const key = await createKey(server, first.id, { name: 'League office' });
  const ofSecond = { type: 'key', name: 'League office', keyPrefix: key.keyPrefix };
  return { first, second: first.withKey(key), ofSecond };
}

describe.each(kindNames)('changedBy of a %s', (kind) => {
  it('is the key of the latest change, in responses and in the feed', async () => {
    const { first, second, ofSecond } = await twoPartners();
    const ofFirst = first.asChangedBy();
    const records = await synchronizedRecords(kind, first);
    const theirs = { ...records, organization: second };
    const changedBy = async (response: PromiseLike<{ body: unknown }>) =>
      ((await response).body as Stored)['changedBy'];
    const record = (await records.create({ externalId: 'mine' }).expect(201)).body as Stored;
    expect(record['changedBy']).toEqual(ofFirst);
    const url = `${records.path}/${record._id}`;
    const sent = { ...(kind === 'schedule' && { teamId: record['teamId'] }), [records.field]: 'Changed' };
    // A request that changes nothing is no change.
    for (let time = 0; time < 2; time++) {
      expect(await changedBy(second.call('patch', url).send(sent))).toEqual(ofSecond);
      expect(await changedBy(records.upsert('mine', { [records.field]: 'Changed' }))).toEqual(ofSecond);
    }
    expect(await changedBy(records.upsert('mine', { [records.field]: 'Mine' }))).toEqual(ofFirst);
    const rows = [{ ...sent, externalId: 'mine' }];
    await theirs.organization.call('post', `${records.path}/bulk`).send({ rows }).expect(200);
    const { data } = (await records.read(`/${record._id}`)).body as { data: Stored };
    expect(data).toMatchObject({ changedBy: ofSecond, revision: 4 });
    const mirror = new FeedMirror(first, { kinds: kind });
    await mirror.followUntil('the change is in the feed', () => mirror.get(kind, record._id)?.revision === 4);
    expect(mirror.get(kind, record._id)).toMatchObject({ changedBy: ofSecond, record: { changedBy: ofSecond } });
    await records.remove('mine').expect(200);
    await mirror.followUntil('the deletion is in the feed', () => mirror.get(kind, record._id) === undefined);
    expect(mirror.delivered.at(-1)).toMatchObject({ revision: 5, deleted: true, changedBy: ofFirst });
  });

  it('is absent on a record without it, beside the creator, and no field of a request', async () => {
    const records = await synchronizedRecords(kind, await createOrganization(server));
    const record = (await records.create().expect(201)).body as Stored;
    const collection = (await server.database()).collection(`${kind}s`);
    const stored = await collection.findOne({ _id: new ObjectId(record._id) });
    expect(String(stored?.['createdBy'])).toBe(records.organization.creator._id);
    expect(record).not.toHaveProperty('createdBy');
    await collection.updateOne({ _id: new ObjectId(record._id) }, { $unset: { changedBy: 1 } });
    expect(((await records.read(`/${record._id}`)).body as { data: Stored }).data).not.toHaveProperty('changedBy');
    await records.patch(record, { changedBy: { type: 'system' } }).expect(400);
  });
});

it('of a game whose opponent gets another name is the key that changes the name', async () => {
  const { first, second, ofSecond } = await twoPartners();
  const [team, opponent] = [await first.team(), await first.team()];
  const game = await first.schedule(team._id, { teamTwoId: opponent._id, teamTwoName: undefined });
  await second.call('patch', `/teams/${opponent._id}`).send({ name: 'Renamed' }).expect(200);
  const { data } = (await first.call('get', `/schedules/${game._id}`)).body as { data: Stored };
  expect(data).toMatchObject({ teamTwoName: 'Renamed', changedBy: ofSecond, revision: 2 });
});
