import { MongoClient } from 'mongodb';
import { unconditional } from '../../../src/access/request-context.js';
import { toRecordId } from '../../../src/database/record.js';
import { Transactions } from '../../../src/database/transaction.js';
import type { Change } from '../../../src/modules/changes/change.schema.js';
import { ChangesProjector } from '../../../src/modules/changes/changes.projector.js';
import { ProjectionRepository } from '../../../src/modules/changes/projection.repository.js';
import { SchedulesRepository } from '../../../src/modules/schedules/schedules.repository.js';
import { SeasonsRepository } from '../../../src/modules/seasons/seasons.repository.js';
import { FixedClock, newScope, TestApplication } from '../../support/application.js';
import { eventually } from '../../support/processes.js';
import { buildScheduleRecord } from '../../support/records.js';
import { testDatabaseUri } from '../../support/test-database.js';

it('a slower server does not revive the row of a deleted record', async () => {
  const client = await new MongoClient(testDatabaseUri('rows')).connect();
  const repository = new ProjectionRepository(client);
  const _id = 'team.6650f1f77bcf86cd79943921';
  const rowAt = (time: number) => {
    return {
      _id,
      kind: 'team',
      position: `${String(time).padStart(16, '0')}.${_id}`,
      changedAt: new Date(time),
    } as const;
  };
  const inserted = { ...rowAt(1), created: rowAt(1).position, organizationId: null };
  const expiresAt = new Date('2027-06-01T00:00:00.000Z');
  await repository.write([inserted, rowAt(2)]);
  await repository.write([{ ...rowAt(3), expiresAt }]);
  // Another server has read the first batch, too, but writes it only now.
  await repository.write([inserted, rowAt(2)]);
  await repository.write([rowAt(2)]);
  const row = await client.db().collection<Change>('changes').findOne({ _id });
  expect(row).toEqual({ ...inserted, ...rowAt(3), expiresAt });
  await client.db().dropDatabase();
  await client.close();
});

describe('two changes within a millisecond', () => {
  const clock = new FixedClock();
  const application = TestApplication.forTests(clock);

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
    const scope = newScope();
    const record = buildScheduleRecord(scope, { _id: toRecordId('6650f1f77bcf86cd79943941') });
    const [schedules, transactions] = [application.get(SchedulesRepository), application.get(Transactions)];
    await schedules.insertIdempotent(scope, record, undefined, {});
    await expectBoth(`playerStatistics.${String(record._id)}`, () =>
      transactions.run(unconditional, (session) =>
        schedules.lockForStatistics(scope, String(record._id), clock.now(), session),
      ),
    );
  });
});
