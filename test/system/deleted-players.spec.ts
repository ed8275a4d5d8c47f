import { ObjectId } from 'mongodb';
import { type Stored, TestOrganization } from '../support/organization.js';
import { eventually, eventuallyPasses } from '../support/processes.js';
import { serverOnOwnMongod } from '../support/mongod-process.js';
import { readAllStoredValues } from '../support/stored-values.js';

const day = 24 * 60 * 60 * 1_000;

describe('a deleted player', () => {
  const { server } = serverOnOwnMongod({ DELETED_PLAYER_RETENTION_DAYS: '2' });
  const organization = TestOrganization.forTests(server);
  let players: string;

  beforeAll(async () => {
    players = `/teams/${(await organization.team())._id}/players`;
  });

  const create = (name: string, key: string) =>
    organization
      .call('post', players)
      .set('idem-key', key)
      .send({ name, email: `${name}@example.com` });
  const created = async (name: string) => (await create(name, name).expect(201)).body as Stored;
  const collection = async () => (await server.database()).collection('players');
  const isStored = async ({ _id }: Stored) =>
    (await (await collection()).countDocuments({ _id: new ObjectId(_id) })) === 1;
  /** Deletes a player, some days ago. */
  const remove = async ({ _id }: Stored, daysAgo: number) => {
    await organization.call('delete', `${players}/${_id}`).expect(200);
    const deletedAt = new Date(Date.now() - daysAgo * day);
    await (await collection()).updateOne({ _id: new ObjectId(_id) }, { $set: { deletedAt } });
  };

  it('is erased after the retention period with the first response, and no other player is', async () => {
    const [present, recent, old] = [await created('present'), await created('recent'), await created('old-one')];
    await remove(recent, 1.9);
    await remove(old, 2.1);

    // The first pass that erases a player has visited every record.
    await eventually('the player is erased', async () => !(await isStored(old)), 30);

    expect([await isStored(present), await isStored(recent)]).toEqual([true, true]);
    await organization.call('get', `${players}/${present._id}`).expect(200);
    await eventuallyPasses(async () => {
      const stored = await readAllStoredValues(await server.database());
      expect(stored.filter(({ text }) => text.includes('old-one'))).toEqual([]);
    });
    const repeated = await create('recent', 'recent').expect(201);
    expect([repeated.headers['idempotent-replayed'], repeated.body]).toEqual(['true', recent]);
    const again = await create('old-one', 'old-one').expect(201);
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    expect((again.body as Stored)._id).not.toBe(old._id);
  });
});
