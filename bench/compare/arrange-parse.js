import { createHash } from 'node:crypto';
import { databaseOf } from './contenders.js';

/** The same records as Parse Server stores them: IDs as strings, its own timestamps, indexes for the same queries. */
const classes = { teams: 'Team', players: 'Player', schedules: 'Schedule' };
const ownStamps = { createdAt: '_created_at', updatedAt: '_updated_at' };
const indexes = {
  Team: [{ organizationId: 1, deletedAt: 1, _created_at: 1, _id: 1 }],
  Player: [{ organizationId: 1, teamId: 1, deletedAt: 1, _created_at: 1, _id: 1 }],
  Schedule: [
    { organizationId: 1, deletedAt: 1, startDate: 1, _id: 1 },
    { organizationId: 1, deletedAt: 1, endDate: 1, startDate: 1, _id: 1 },
    { organizationId: 1, deletedAt: 1, teamOneId: 1, startDate: 1, _id: 1 },
    { organizationId: 1, deletedAt: 1, teamTwoId: 1, startDate: 1, _id: 1 },
  ],
  PlayerStatistic: [{ organizationId: 1, scheduleId: 1, category: 1, playerId: 1 }],
};

/** Copies the records of `arrange`; `rows` are the statistics as the server returns them. */
export async function arrangeParse({ client, organizationId, key }, uri, rows) {
  const [from, to] = [client.db(), client.db(new URL(databaseOf('parse', uri)).pathname.slice(1))];
  for (const [collection, className] of Object.entries(classes)) {
    const records = await from.collection(collection).find().toArray();
    await to.collection(className).insertMany(records.map(parseRecord));
  }
  const statistics = rows.map((row, place) => ({
    _id: `row${place}`,
    organizationId,
    ...row,
    createdAt: row.updatedAt,
  }));
  await to
    .collection('PlayerStatistic')
    .insertMany(
      statistics.map((row) =>
        parseRecord({ ...row, updatedAt: new Date(row.updatedAt), createdAt: new Date(row.updatedAt) }),
      ),
    );
  for (const [className, all] of Object.entries(indexes))
    for (const fields of all) await to.collection(className).createIndex(fields);

  await to.collection('ApiKey').createIndex({ digest: 1 }, { unique: true });
  const digest = createHash('sha256').update(key).digest('hex');
  await to.collection('ApiKey').insertOne({ _id: 'key', digest, organizationId });
}

function parseRecord(record) {
  const entries = Object.entries(record).filter(([name]) => name !== 'createdBy' && name !== 'idempotency');
  return Object.fromEntries(
    entries.map(([name, value]) => [ownStamps[name] ?? name, value?._bsontype === 'ObjectId' ? String(value) : value]),
  );
}
