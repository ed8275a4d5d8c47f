import type { Db } from 'mongodb';

/** How often the database looked up an API key while `work` ran. */
export async function countKeyReads(database: Db, work: () => Promise<unknown>): Promise<number> {
  await database.command({ profile: 0 });
  await database.collection('system.profile').drop();
  await database.command({ profile: 2 });
  await work();
  await database.command({ profile: 0 });
  const lookups = { 'command.aggregate': 'apiKeys', 'command.pipeline.0.$match.keyPrefix': { $exists: true } };
  return database.collection('system.profile').countDocuments(lookups);
}
