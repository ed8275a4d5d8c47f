import { Metrics } from '../../../src/observability/metrics.js';
import { ChangeStreamService, type ChangeSubscriber } from '../../../src/database/change-stream.service.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import { newRecordId } from '../../../src/database/record.js';
import { TestApplication } from '../../support/application.js';
import { eventually } from '../../support/processes.js';

describe('the change stream', () => {
  const application = TestApplication.forTests();
  let streams: ChangeStreamService[];
  let stream: ChangeStreamService;
  let changes: string[];
  let gaps: number;

  beforeEach(async () => {
    streams = [];
    changes = [];
    gaps = 0;
    stream = await subscribe({ onChange: (id) => void changes.push(id), onGap: () => (gaps += 1) });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const one of streams) await one.onApplicationShutdown();
  });

  async function subscribe(subscriber: Partial<ChangeSubscriber>): Promise<ChangeStreamService> {
    const one = new ChangeStreamService(application.get(DatabaseService), new Metrics());
    const ignore = { onChange: () => undefined, onGap: () => undefined };
    one.subscribe({ collections: ['watched'], ...ignore, ...subscriber });
    streams.push(one);
    one.start();
    await eventually('the stream is current', () => one.isCurrent());
    return one;
  }
  const records = (name = 'watched') => application.connection.collection(name);
  const waitForReports = (count: number, of = changes) =>
    eventually('the changes are reported', () => of.length >= count);

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

  it('does not report updates of ignored fields only, including parts of arrays', async () => {
    const reportedIds: string[] = [];
    await subscribe({ ignoredFields: /^(used|logins)(\.|$)/, onChange: (id) => void reportedIds.push(id) });
    const ignored = newRecordId();
    await records().insertOne({ _id: ignored, logins: [{ at: 1 }, { at: 2 }, { at: 3 }] });
    await records().updateOne({ _id: ignored }, { $set: { used: 1, 'logins.0': { at: 2 }, 'logins.1.at': 4 } });
    await records().updateOne({ _id: ignored }, [{ $set: { logins: { $slice: ['$logins', 1] } } }]);
    await records().updateOne({ _id: ignored }, { $unset: { used: 1 } });
    const changed = [newRecordId(), newRecordId(), newRecordId()] as const;
    for (const _id of changed) await records().insertOne({ _id, list: [1, 2], status: 'a', used: 1 });
    await records().updateOne({ _id: changed[0] }, { $set: { used: 2, status: 'b' } });
    await records().updateOne({ _id: changed[1] }, [{ $set: { list: { $slice: ['$list', 1] } } }]);
    await records().deleteOne({ _id: changed[2] });
    await waitForReports(7, reportedIds);
    expect(reportedIds).toEqual([ignored, ...changed, ...changed].map(String));
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
