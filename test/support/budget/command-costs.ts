import type { Connection, mongo } from 'mongoose';

/** The exact cost of an operation for the database. */
export interface Cost {
  /** Commands by name. */
  readonly commands: Readonly<Record<string, number>>;
  /** Sequential round trips. */
  readonly sequential: number;
  readonly keysExamined: number;
  readonly documentsExamined: number;
}

interface ProfiledCommand {
  readonly keysExamined?: number;
  readonly docsExamined?: number;
}

/**
 * Measures the commands that are sent while `work` runs; nothing else may use the connection's database meanwhile. A
 * command is sequential if an earlier one had ended when its connection was requested; examined keys and documents
 * come from the database's profiler.
 */
export async function measureCost(connection: Connection, work: () => Promise<unknown>): Promise<Cost> {
  const client = connection.getClient();
  const database = client.db(connection.name);
  await startProfiler(database);
  const commands: Record<string, number> = {};
  const depths = new Map<number, number>();
  const asked: number[] = [];
  let deepestEnded = 0;
  let sequential = 0;
  const onAsked = () => asked.push(deepestEnded + 1);
  const onStarted = ({ requestId, commandName, command }: mongo.CommandStartedEvent) => {
    const depth = asked.shift() ?? 0;
    if (isBesideRequests(command)) return;
    depths.set(requestId, depth);
    commands[commandName] = (commands[commandName] ?? 0) + 1;
    sequential = Math.max(sequential, depth);
  };
  const onEnded = ({ requestId }: mongo.CommandSucceededEvent | mongo.CommandFailedEvent) => {
    deepestEnded = Math.max(deepestEnded, depths.get(requestId) ?? 0);
  };
  client.on('connectionCheckOutStarted', onAsked).on('commandStarted', onStarted);
  client.on('commandSucceeded', onEnded).on('commandFailed', onEnded);
  try {
    await work();
  } finally {
    client.off('connectionCheckOutStarted', onAsked).off('commandStarted', onStarted);
    client.off('commandSucceeded', onEnded).off('commandFailed', onEnded);
  }
  const profiled = await readProfiler(database);
  const sum = (field: keyof ProfiledCommand) => profiled.reduce((all, each) => all + (each[field] ?? 0), 0);
  const sorted = Object.fromEntries(Object.entries(commands).sort(([one], [other]) => (one < other ? -1 : 1)));
  return { commands: sorted, sequential, keysExamined: sum('keysExamined'), documentsExamined: sum('docsExamined') };
}

/**
 * Returns whether the server sends the command on its own: the last use of keys every minute, the request counts and its
 * clock's offset every 10 s, failed requests every second.
 */
export function isBesideRequests(command: mongo.Document): boolean {
  const isLater =
    ['apiKeys', 'requestCounts'].includes(String(command['update'])) || command['insert'] === 'failedRequests';
  return isLater || command['hello'] !== undefined;
}

/** Clears the cached plans, because those of other records must not be reused. */
export async function clearPlans(database: mongo.Db): Promise<void> {
  for (const { name } of await database.listCollections({ type: 'collection' }, { nameOnly: true }).toArray())
    await database.command({ planCacheClear: name });
}

async function startProfiler(database: mongo.Db): Promise<void> {
  await database.command({ profile: 0 });
  await database.collection('system.profile').drop();
  await database.command({ profile: 2 });
}

/** Reads the profiled commands on the models' collections, without the change streams and what is written from them. */
async function readProfiler(database: mongo.Db): Promise<ProfiledCommand[]> {
  await database.command({ profile: 0 });
  const beside = {
    $nor: [
      { ns: /\.(\$cmd|system)\./ },
      { op: 'update', ns: /\.(apiKeys|requestCounts)$/ },
      { op: 'insert', ns: /\.failedRequests$/ },
      { appName: 'change-feed' },
    ],
  };
  const noted = database.collection<ProfiledCommand & mongo.Document>('system.profile').find(beside);
  return noted.project<ProfiledCommand>({ keysExamined: 1, docsExamined: 1 }).toArray();
}
