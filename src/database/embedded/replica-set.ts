import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';

/** Name of the replica set with one member, which transactions and change streams need. */
export const REPLICA_SET = 'embedded';

const ALREADY_INITIALIZED = 23;

// What mongod answers while it reads its configuration or changes its state: NotYetInitialized, InvalidReplicaSetConfig,
// ConfigurationInProgress, PrimarySteppedDown, NotWritablePrimary, InterruptedDueToReplStateChange.
const TRANSIENT = new Set<unknown>([94, 93, 109, 189, 10107, 11602]);

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

/**
 * Makes a mongod the writable primary of its set, which is new or was last used on another port.
 * @param port where it listens on 127.0.0.1
 * @param deadline in milliseconds since the epoch
 * @throws Error if it is not writable by then
 */
export async function becomeWritablePrimary(port: number, deadline: number): Promise<void> {
  const client = new mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 5_000,
  });
  try {
    const admin = client.db('admin');
    while (!(await configure(admin, `127.0.0.1:${port}`, deadline))) await sleep(20);
    while ((await admin.command({ hello: 1 }))['isWritablePrimary'] !== true) {
      if (Date.now() > deadline) throw new Error('it did not become the writable primary of its replica set in time');
      await sleep(10);
    }
  } finally {
    await client.close();
  }
}

/** Returns false if mongod is not ready to be configured. */
async function configure(admin: mongo.Db, host: string, deadline: number): Promise<boolean> {
  try {
    await admin
      .command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } })
      .catch((error: unknown) => {
        if (codeOf(error) !== ALREADY_INITIALIZED) throw error;
        return reconfigure(admin, host);
      });
    return true;
  } catch (error) {
    if (!TRANSIENT.has(codeOf(error)) || Date.now() > deadline) throw error;
    return false;
  }
}

/** Replaces the port of the last run; with that there is no primary, so that the change must be forced. */
async function reconfigure(admin: mongo.Db, host: string): Promise<void> {
  const { config } = (await admin.command({ replSetGetConfig: 1 })) as unknown as { config: ReplicaSetConfig };
  const members = config.members.slice(0, 1).map((member) => ({ ...member, host }));
  await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
}

function codeOf(error: unknown): unknown {
  return error instanceof mongo.MongoServerError ? error.code : undefined;
}
