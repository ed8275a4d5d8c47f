import { ObjectId } from 'mongodb';
import { FeedMirror } from '../support/feed.js';
import { createKey, createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import { kindNames, synchronizedRecords } from '../support/synchronized.js';

const server = RunningServer.forTests();

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
