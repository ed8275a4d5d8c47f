import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { StartError } from '../../config/configuration.js';
import { build } from '../../config/package.js';
import { isDatabaseUnavailable } from '../database-error.js';
import type { DatabaseService } from '../database.service.js';
import { dropReplacedIndexes } from './0001-drop-replaced-indexes.js';
import { renameDisabledReason } from './0002-rename-disabled-reason.js';
import { storeSeasonsOfGames } from './0004-seasons-of-games.js';

/** The migrations, in order. Each can run twice, because a server can be killed before it has recorded it. */
const migrations = {
  '0001-drop-replaced-indexes': dropReplacedIndexes,
  '0002-rename-disabled-reason': renameDisabledReason,
  // Again, because more indexes are replaced since.
  '0003-drop-replaced-indexes': dropReplacedIndexes,
  '0004-seasons-of-games': storeSeasonsOfGames,
  '0005-drop-replaced-indexes': dropReplacedIndexes,
  '0006-drop-replaced-indexes': dropReplacedIndexes,
};
/** After this time another server takes over from one that was killed. */
const leaseMilliseconds = 10_000;
const renewMilliseconds = 2_000;
const waitMilliseconds = 200;

const logger = new Logger('Database');
const self = randomUUID();

/** A migration that is completed, or leased by the server that runs it. */
interface MigrationRecord {
  _id: string;
  owner?: string;
  leasedUntil?: Date;
  completedAt?: Date;
  version?: string;
}

/**
 * Runs each migration once per database, in one server at a time, and waits for those that another server runs.
 * @throws StartError if a migration fails
 */
export async function runMigrations(database: DatabaseService): Promise<void> {
  // A migration may take longer than a request, and a second connection renews its lease.
  const client = database.createClient({ socketTimeoutMS: 0, maxPoolSize: 2 });
  const records = client.db().collection<MigrationRecord>('migrations');
  try {
    for (const [name, migrate] of Object.entries(migrations)) {
      while (!(await complete(records, name, () => migrate(client.db())))) await sleep(waitMilliseconds);
    }
  } finally {
    await client.close();
  }
}

/** Runs a migration unless it is complete. Returns false if another server runs it. */
async function complete(records: mongo.Collection<MigrationRecord>, name: string, migrate: () => Promise<void>) {
  const leased = await lease(records, name);
  if (leased?.owner !== self) return leased?.completedAt !== undefined;
  const renewal = setInterval(() => void lease(records, name).catch(() => undefined), renewMilliseconds);
  try {
    logger.log(`The migration ${name} begins`);
    await migrate();
    await records.updateOne({ _id: name }, [
      { $replaceWith: { _id: name, completedAt: '$$NOW', version: build.version } },
    ]);
    logger.log(`The migration ${name} is complete`);
    return true;
  } catch (cause) {
    if (isDatabaseUnavailable(cause)) throw cause;
    throw new StartError(`The migration ${name} failed: ${(cause as Error).message}`, { cause });
  } finally {
    clearInterval(renewal);
  }
}

/** Takes or renews the lease of a migration, unless it is complete or another server has the lease. */
function lease(records: mongo.Collection<MigrationRecord>, _id: string): Promise<MigrationRecord | null> {
  const isFree = { $or: [{ $eq: ['$owner', self] }, { $lt: ['$leasedUntil', '$$NOW'] }] };
  const mayLease = { $and: [{ $not: ['$completedAt'] }, isFree] };
  const owner = { $cond: [mayLease, self, '$owner'] };
  const leasedUntil = { $cond: [mayLease, { $add: ['$$NOW', leaseMilliseconds] }, '$leasedUntil'] };
  const options = { upsert: true, returnDocument: 'after' } as const;
  return records.findOneAndUpdate({ _id }, [{ $set: { owner, leasedUntil } }], options);
}
