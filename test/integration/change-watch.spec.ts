import { type ChangeWatch, lateMilliseconds, type RecordChange } from '../../src/database/change-watch.js';
import { DatabaseService } from '../../src/database/database.service.js';
import { newRecordId } from '../../src/database/record.js';
import { TestApplication } from '../support/application.js';
import { eventually } from '../support/processes.js';

describe('a watch of the changes of a collection', () => {
  let application: TestApplication;
  let watch: ChangeWatch;
  let changes: RecordChange[];
  let losses: number;

  beforeAll(async () => {
    application = await TestApplication.start();
  });
  afterAll(() => application.stop());
  beforeEach(async () => {
    changes = [];
    losses = 0;
    watch = application.get(DatabaseService).watch(['watched'], {
      changed: (change) => changes.push(change),
      lost: () => losses++,
      told: () => undefined,
    });
    await eventually('the watch is current', () => watch.isCurrent());
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await watch.close();
  });

  const records = (name = 'watched') => application.connection.collection(name);
  const isTold = (count: number) => eventually('it is told', () => changes.length >= count);

  it('tells of each change in order, and of an update which fields it touched, never a value', async () => {
    const _id = newRecordId();
    await records().insertOne({ _id, name: 'a', old: 1, list: [1, 2] });
    await records().updateOne({ _id }, { $set: { name: 'b', added: 1 }, $unset: { old: 1 } });
    await records().updateOne({ _id }, [{ $set: { list: { $slice: ['$list', 1] } } }]);
    await records().replaceOne({ _id }, { name: 'c' });
    await records().deleteOne({ _id });
    await isTold(5);
    const change = { collection: 'watched', id: String(_id) };
    expect(changes).toEqual([
      { ...change, fields: undefined },
      { ...change, fields: ['name', 'added', 'old'] },
      { ...change, fields: ['list'] },
      { ...change, fields: undefined },
      { ...change, fields: undefined },
    ]);
  });

  it('tells nothing of other collections', async () => {
    await records('another').insertOne({ name: 'a' });
    await records().insertOne({ name: 'b' });
    await isTold(1);
    expect(changes).toHaveLength(1);
  });

  it('tells of late writes only, where only those are asked for', async () => {
    const late: RecordChange[] = [];
    const follower = { changed: (change: RecordChange) => late.push(change), lost: () => 0, told: () => undefined };
    const database = application.get(DatabaseService);
    const another = database.watch([], follower, ['watched']);
    try {
      await eventually('the watch is current', () => another.isCurrent());
      const ago = (milliseconds: number) => ({ updatedAt: new Date(Date.now() - milliseconds) });
      const [_id, other] = [newRecordId(), newRecordId()];
      await records().insertOne({ _id, ...ago(0) });
      await records().updateOne({ _id }, { $set: { name: 'b', ...ago(lateMilliseconds - 3_000) } });
      await records().updateOne({ _id }, { $set: { name: 'c' } });
      await records().insertOne({ _id: other, ...ago(lateMilliseconds + 1) });
      await records().updateOne({ _id }, [{ $set: { name: 'd', updatedAt: ago(lateMilliseconds + 1).updatedAt } }]);
      await records().replaceOne({ _id }, { name: 'e', ...ago(lateMilliseconds + 1) });
      await records().deleteOne({ _id });
      await eventually('it is told', () => late.length >= 4);
      expect(late.map(({ id }) => id)).toEqual([other, _id, _id, _id].map(String));
    } finally {
      await another.close();
    }
  });

  it('stays current while nothing is written', async () => {
    const staysCurrent = async () => {
      for (let i = 0; i < 50; i++) {
        if (!watch.isCurrent()) return false;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return true;
    };
    // A process that stood still for a while has to ask first.
    await eventually('it stays current for half a second', staysCurrent);
    expect(losses).toBe(0);
  });

  it('is not current when one of the clocks says that it asked long ago, or in the future', () => {
    const [now, monotonic] = [Date.now(), performance.now()];
    for (const moved of [300, 3_600_000, -3_600_000]) {
      jest.spyOn(Date, 'now').mockReturnValue(now + moved);
      expect(watch.isCurrent()).toBe(false);
      jest.restoreAllMocks();
      jest.spyOn(performance, 'now').mockReturnValue(monotonic + moved);
      expect(watch.isCurrent()).toBe(false);
      jest.restoreAllMocks();
    }
  });

  it('says that changes may be lost when the collection is dropped', async () => {
    await records().insertOne({ name: 'a' });
    await isTold(1);
    await records().drop();
    await eventually('it is told', () => losses > 0);
  });

  it('is not current once it is closed', async () => {
    await watch.close();
    expect(watch.isCurrent()).toBe(false);
  });
});
