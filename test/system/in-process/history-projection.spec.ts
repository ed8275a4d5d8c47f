import { mongo } from 'mongoose';
import { Logger } from '@nestjs/common';
import { checkpointId } from '../../../src/modules/changes/change.schema.js';
import { ProjectionRepository } from '../../../src/modules/changes/projection.repository.js';
import { HistoryProjectionRepository } from '../../../src/modules/history/history-projection.repository.js';
import { changeIdOf, type RecordChange } from '../../../src/modules/history/history.schema.js';
import { newRecordId, type RecordId } from '../../../src/database/record.js';
import { testDatabaseUri } from '../../support/test-database.js';

describe('the history of records', () => {
  let client: mongo.MongoClient;
  const changes = () => client.db().collection<RecordChange>('recordHistory');

  beforeAll(async () => {
    Logger.overrideLogger(false);
    client = await new mongo.MongoClient(testDatabaseUri('history-projection')).connect();
  });
  afterAll(async () => {
    await client.db().dropDatabase();
    await client.close();
  });

  const organizationId = newRecordId();
  const update = (_id: unknown, revision: number, updatedFields: object) => ({
    ...{ operationType: 'update', wallTime: new Date(), ns: { coll: 'schedules' }, documentKey: { _id } },
    updateDescription: { updatedFields: { revision, updatedAt: new Date(), ...updatedFields } },
  });
  const storeChange = (id: RecordId, revision: number, values: object) =>
    changes().insertOne({
      ...{ _id: changeIdOf('schedule', String(id), revision), organizationId, at: new Date(), action: 'updated' },
      values: { ...values },
    });
  const storedOf = (id: RecordId) =>
    changes()
      .find({ _id: { $regex: String(id) } })
      .sort({ _id: 1 })
      .toArray();

  it('has no value that it cannot know since a change was lost, and stops at no event', async () => {
    const _id = newRecordId();
    await client
      .db()
      .collection('schedules')
      .insertOne({ _id, organizationId, revision: 4, location: { x: { y: 4 } } });
    await storeChange(_id, 1, { location: { a: { b: 1 } } });
    const parts = [3, 4].map((revision) => update(_id, revision, { 'location.x.y': revision }));
    await new HistoryProjectionRepository(client.db()).write([update('spring', 2, { name: 'By hand' }), ...parts]);
    const [, third, fourth] = await storedOf(_id);
    expect(third?.values).toEqual({});
    expect(fourth?.values).toEqual({ location: { x: { y: 4 } } });
  });

  it('leaves an event out that it cannot understand, and has the others', async () => {
    const _id = newRecordId();
    await client.db().collection('schedules').insertOne({ _id, organizationId, revision: 9 });
    await storeChange(_id, 1, { location: { a: 'text' } });
    const events = [update(_id, 2, { 'location.a.b.c': 1 }), update(_id, 3, { eventTitle: 'Final' })];
    await new HistoryProjectionRepository(client.db()).write(events);
    expect((await storedOf(_id)).slice(1)).toMatchObject([{ values: { eventTitle: 'Final' } }]);
  });

  it('of an erased record is deleted again, although another server has said so before', async () => {
    const _id = newRecordId();
    const repository = new ProjectionRepository(client);
    const clusterTime = new mongo.Timestamp({ t: 5, i: 1 });
    await repository.saveCheckpoint({ _id: checkpointId, position: '0000000900000001~' });
    await storeChange(_id, 1, { eventTitle: 'Final' });
    const deletion = { operationType: 'delete', wallTime: new Date(), ns: { coll: 'schedules' }, documentKey: { _id } };
    await repository.write([{ ...deletion, clusterTime }]);
    expect(await storedOf(_id)).toEqual([]);
  });

  it('of an erased record is deleted at a start, if a server that was killed has added to it', async () => {
    const [erased, stored] = [newRecordId(), newRecordId()];
    await client.db().collection('schedules').insertOne({ _id: stored, organizationId, revision: 1 });
    for (const id of [erased, stored]) await storeChange(id, 1, { eventTitle: 'Final' });
    await new ProjectionRepository(client).deleteErased();
    expect([await storedOf(erased), await storedOf(stored)]).toMatchObject([[], [{ values: { eventTitle: 'Final' } }]]);
  });
});
