import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';

/** Name of the replica set of one; transactions and change streams need a set. */
export const REPLICA_SET = 'embedded';

const ALREADY_INITIALIZED = 23;

// What mongod answers while it still reads its configuration or changes its state: NotYetInitialized, InvalidReplicaSetConfig,
// ConfigurationInProgress, PrimarySteppedDown, NotWritablePrimary, InterruptedDueToReplStateChange.
const PASSING = new Set([94, 93, 109, 189, 10107, 11602]);

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

/**
 * Makes the mongod on a port the writable primary of its set, new or from an earlier run on another port.
 * @param port where it listens on 127.0.0.1
 * @param dbPath its data folder: a mongod that answers with another one got the port before ours, and is left alone
 * @param deadline in milliseconds since the epoch
 * @throws Error if it is another mongod, or not writable by then
 */
export async function becomeWritablePrimary(port: number, dbPath: string, deadline: number): Promise<void> {
  const client = new mongo.MongoClient(`mongodb://127.0.0.1:${port}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: 5_000,
  });
  try {
    const admin = client.db('admin');
    await checkIdentity(admin, dbPath);
    for (;;) {
      try {
        await configure(admin, `127.0.0.1:${port}`);
        break;
      } catch (error) {
        const passing = error instanceof mongo.MongoServerError && PASSING.has(Number(error.code));
        if (!passing || Date.now() > deadline) throw error;
        await sleep(20);
      }
    }
    while ((await admin.command({ hello: 1 }))['isWritablePrimary'] !== true) {
      if (Date.now() > deadline) throw new Error('it did not become the writable primary of its replica set in time');
      await sleep(10);
    }
  } finally {
    await client.close();
  }
}

async function checkIdentity(admin: mongo.Db, dbPath: string): Promise<void> {
  const options = await admin.command({ getCmdLineOpts: 1 });
  const { storage } = options['parsed'] as { storage?: { dbPath?: string } };
  if (storage?.dbPath !== dbPath) throw new Error('another mongod got its port first');
}

async function configure(admin: mongo.Db, host: string): Promise<void> {
  try {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
    return;
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError) || error.code !== ALREADY_INITIALIZED) throw error;
  }
  // The stored configuration names the port of the last run. Nobody is primary under it, so only force can change it.
  const { config } = (await admin.command({ replSetGetConfig: 1 })) as unknown as { config: ReplicaSetConfig };
  const members = config.members.slice(0, 1).map((member) => ({ ...member, host }));
  await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
}
