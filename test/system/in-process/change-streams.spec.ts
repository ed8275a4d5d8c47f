import { Logger } from '@nestjs/common';
import { mongo } from 'mongoose';
import { unconditional } from '../../../src/access/request-context.js';
import { ChangeStreamService } from '../../../src/database/change-stream.service.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import { newRecordId, toRecordId, type RecordId } from '../../../src/database/record.js';
import { Transactions } from '../../../src/database/transaction.js';
import { type Change, checkpointId } from '../../../src/modules/changes/change.schema.js';
import { ChangesProjector } from '../../../src/modules/changes/changes.projector.js';
import { ProjectionRepository } from '../../../src/modules/changes/projection.repository.js';
import { HistoryProjectionRepository } from '../../../src/modules/history/history-projection.repository.js';
import { changeIdOf, type RecordChange } from '../../../src/modules/history/history.schema.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { SeasonsRepository } from '../../../src/modules/seasons/seasons.repository.js';
import { Metrics } from '../../../src/observability/metrics.js';
import { FixedClock, newTenant, TestApplication } from '../../support/application.js';
import { eventually } from '../../support/processes.js';
import { buildScheduleRecord } from '../../support/records.js';
import { testDatabaseUri } from '../../support/test-database.js';

const clock = new FixedClock();
const application = TestApplication.forTests(clock);

it('a slower server does not revive the row of a deleted record', async () => {
  const client = await new mongo.MongoClient(testDatabaseUri('rows')).connect();
  const repository = new ProjectionRepository(client);
  const id = toRecordId('6650f1f77bcf86cd79943921');
  const _id = `team.${String(id)}`;
  const eventAt = (time: number, operationType: string, fullDocument?: object) => ({
    ...{ operationType, clusterTime: new mongo.Timestamp({ t: time, i: 1 }), wallTime: new Date(time * 1_000) },
    ...{ ns: { coll: 'teams' }, documentKey: { _id: id }, ...(fullDocument && { fullDocument: { ...fullDocument } }) },
    updateDescription: { updatedFields: { revision: time } },
  });
  const [inserted, updated] = [eventAt(1, 'insert', { revision: 1, updatedAt: new Date() }), eventAt(2, 'update')];
  await repository.write([inserted, updated]);
  await repository.write([eventAt(3, 'delete')]);
  const rows = client.db().collection<Change>('changes');
  const deleted = await rows.findOne({ _id });
  expect(deleted).toMatchObject({ kind: 'team', changedAt: new Date(3_000), expiresAt: expect.any(Date) as Date });
  // Another server has read the first batch, too, but writes it only now.
  await repository.write([inserted, updated]);
  await repository.write([updated]);
  expect(await rows.findOne({ _id })).toEqual(deleted);
  await client.db().dropDatabase();
  await client.close();
});

describe('two changes within a millisecond', () => {
  beforeAll(() => {
    application.get(ChangesProjector).start();
  });

  const positionOf = async (_id: string) =>
    (await application.connection.collection<Change>('changes').findOne({ _id }))?.position ?? '';

  /** Makes a change twice at the same time, and expects that the row of the record moves twice. */
  async function expectBoth(row: string, change: (count: number) => Promise<unknown>): Promise<void> {
    for (let position = await positionOf(row), count = 1; count <= 2; count++) {
      await change(count);
      const moves = async () => (await positionOf(row)) > position;
      await eventually(`change ${count} is in the feed`, moves);
      position = await positionOf(row);
    }
  }

  it('of a season are both in the feed', async () => {
    const _id = toRecordId('6650f1f77bcf86cd79943931');
    const [seasons, transactions] = [application.get(SeasonsRepository), application.get(Transactions)];
    const at = clock.now();
    const times = { startDate: at, endDate: at, createdAt: at, updatedAt: at };
    const season = { _id, name: 'Spring', ...times, deletedAt: null, revision: 1 };
    await transactions.run(unconditional, (session) => seasons.insert(season, session));
    await expectBoth(`season.${String(_id)}`, (count) =>
      transactions.run(unconditional, (session) =>
        seasons.updateAnyById(String(_id), { name: `Name ${count}`, updatedAt: at }, session),
      ),
    );
  });

  it('of the statistics of a game are both in the feed', async () => {
    const tenant = newTenant();
    const record = buildScheduleRecord(tenant, { _id: toRecordId('6650f1f77bcf86cd79943941') });
    const [schedules, transactions] = [application.get(SchedulesRepository), application.get(Transactions)];
    await schedules.insertIdempotent(tenant, record, undefined, {});
    await expectBoth(`playerStatistics.${String(record._id)}`, () =>
      transactions.run(unconditional, (session) =>
        schedules.lockForStatistics(tenant, String(record._id), clock.now(), session),
      ),
    );
  });
});

describe('the change stream', () => {
  let stream: ChangeStreamService;
  let changes: string[];
  let gaps: number;

  beforeEach(async () => {
    changes = [];
    gaps = 0;
    stream = new ChangeStreamService(application.get(DatabaseService), new Metrics());
    const cache = stream.createCache(['watched'], 1, () => []);
    jest.spyOn(cache, 'invalidate').mockImplementation((id) => void changes.push(id));
    jest.spyOn(cache, 'clear').mockImplementation(() => void (gaps += 1));
    stream.start();
    await eventually('the stream is current', () => stream.isCurrent());
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stream.onApplicationShutdown();
  });

  const records = (name = 'watched') => application.connection.collection(name);
  const waitForReports = (count: number) => eventually('the changes are reported', () => changes.length >= count);

  it('reports each change in order', async () => {
    const [_id, other] = [newRecordId(), newRecordId()];
    await records().insertOne({ _id, name: 'a' });
    await records().insertOne({ _id: other, name: 'a' });
    await records().updateOne({ _id }, { $set: { name: 'b' } });
    await records().replaceOne({ _id: other }, { name: 'c' });
    await records().deleteOne({ _id });
    await waitForReports(5);
    expect(changes).toEqual([_id, other, _id, other, _id].map(String));
  });

  it('does not report changes of other collections', async () => {
    await records('another').insertOne({ name: 'a' });
    await records().insertOne({ name: 'b' });
    await waitForReports(1);
    expect(changes).toHaveLength(1);
  });

  it('stays current while nothing is written', async () => {
    const staysCurrent = async () => {
      for (let i = 0; i < 50; i++) {
        if (!stream.isCurrent()) return false;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return true;
    };
    // A process that was suspended is not current until the next poll.
    await eventually('it stays current for half a second', staysCurrent);
    expect(gaps).toBe(0);
  });

  it('is not current if either clock puts the last poll too long ago, or in the future', () => {
    const [now, monotonic] = [Date.now(), performance.now()];
    for (const offset of [300, 3_600_000, -3_600_000]) {
      jest.spyOn(Date, 'now').mockReturnValue(now + offset);
      expect(stream.isCurrent()).toBe(false);
      jest.restoreAllMocks();
      jest.spyOn(performance, 'now').mockReturnValue(monotonic + offset);
      expect(stream.isCurrent()).toBe(false);
      jest.restoreAllMocks();
    }
  });

  it('reports a gap if the collection is dropped', async () => {
    await records().insertOne({ name: 'a' });
    await waitForReports(1);
    await records().drop();
    await eventually('the changes are reported', () => gaps > 0);
  });
});

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
