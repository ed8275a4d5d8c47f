import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';

/** Name of the replica set with one member, which transactions and change streams need. */
export const REPLICA_SET = 'embedded';

const ALREADY_INITIALIZED = 23;

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

/**
 * Makes a mongod the writable primary of its replica set, which is new or was last used on another port.
 * @param port its port on 127.0.0.1
 * @param deadline in milliseconds since the epoch
 * @throws Error if it is not writable by the deadline
 */
export async function becomeWritablePrimary(port: number, deadline: number): Promise<void> {
  const client = new mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 5_000,
  });
  try {
    const admin = client.db('admin');
    await repeat(() => configure(admin, `127.0.0.1:${port}`).then(() => true), deadline);
    await repeat(async () => (await admin.command({ hello: 1 }))['isWritablePrimary'] === true, deadline);
  } finally {
    await client.close();
  }
}

/** Returns whether a mongod on the port of 127.0.0.1 is the writable primary on a folder. */
export async function isPrimaryOf(dbPath: string, port: number): Promise<boolean> {
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=1000`;
  const client = new mongo.MongoClient(uri);
  const run = (command: string) => client.db('admin').command({ [command]: 1 });
  try {
    const { parsed } = (await run('getCmdLineOpts')) as { parsed?: { storage?: { dbPath?: string } } };
    return parsed?.storage?.dbPath === dbPath && (await run('hello'))['isWritablePrimary'] === true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/** Repeats a step, because mongod rejects commands while it starts and closes connections when its state changes. */
async function repeat(step: () => Promise<boolean>, deadline: number): Promise<void> {
  for (;;) {
    try {
      if (await step()) return;
      if (Date.now() > deadline) throw new Error('it did not become the writable primary of its replica set in time');
    } catch (error) {
      const isTransient = error instanceof mongo.MongoServerError || error instanceof mongo.MongoNetworkError;
      if (!isTransient || Date.now() > deadline) throw error;
    }
    await sleep(20);
  }
}

async function configure(admin: mongo.Db, host: string): Promise<void> {
  try {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
    return;
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError) || error.code !== ALREADY_INITIALIZED) throw error;
  }
  // The stored configuration has the port of the last run, so there is no primary and the change must be forced.
  const { config } = (await admin.command({ replSetGetConfig: 1 })) as unknown as { config: ReplicaSetConfig };
  const members = config.members.slice(0, 1).map((member) => ({ ...member, host }));
  await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
}
