import type { Connection, mongo } from 'mongoose';

/** What something costs the database: exact, not timed. */
export interface Cost {
  /** How many commands were sent, by name. */
  readonly commands: Readonly<Record<string, number>>;
  /** How many of them lay one after another: round trips that were waited for. */
  readonly sequential: number;
  readonly keysExamined: number;
  readonly documentsExamined: number;
}

interface ProfiledCommand {
  readonly keysExamined?: number;
  readonly docsExamined?: number;
}

/**
 * What the commands cost that are sent while `work` is done; nothing else may use the connection's database meanwhile.
 * Whether a command waited for another is told by when its connection was asked for, as it may have to wait for that, too;
 * what was examined is what the database's profiler noted of the very commands.
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

/** Returns whether the server sends the command on its own: the last use of keys every minute, its clock's offset every 10 s. */
function isBesideRequests(command: mongo.Document): boolean {
  return command['update'] === 'apiKeys' || command['hello'] !== undefined;
}

async function startProfiler(database: mongo.Db): Promise<void> {
  await database.command({ profile: 0 });
  await database.collection('system.profile').drop();
  // What was chosen for another's records must not be chosen again.
  for (const { name } of await database.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()) {
    await database.command({ planCacheClear: name });
  }
  await database.command({ profile: 2 });
}

/** What was noted of commands on the models' collections: not what follows their changes. */
async function readProfiler(database: mongo.Db): Promise<ProfiledCommand[]> {
  await database.command({ profile: 0 });
  const beside = { $nor: [{ ns: /\.(\$cmd|system)\./ }, { op: 'update', ns: /\.apiKeys$/ }] };
  const noted = database.collection<ProfiledCommand & mongo.Document>('system.profile').find(beside);
  return noted.project<ProfiledCommand>({ keysExamined: 1, docsExamined: 1 }).toArray();
}
