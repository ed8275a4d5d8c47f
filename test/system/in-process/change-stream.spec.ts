import { Metrics } from '../../../src/observability/metrics.js';
import { ChangeStreamService } from '../../../src/database/change-stream.service.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import { newRecordId } from '../../../src/database/record.js';
import { TestApplication } from '../../support/application.js';
import { eventually } from '../../support/processes.js';

describe('the change stream', () => {
  const application = TestApplication.forTests();
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
