import type { Connection, mongo } from 'mongoose';

export type Command = Record<string, unknown>;

/** How the database does one command. */
export interface Explanation {
  readonly command: string;
  readonly collection: string;
  /** Names of the stages of the winning plan, of joined collections too. */
  readonly stages: readonly string[];
  /** Names of the indexes in the winning plan, of joined collections too. */
  readonly indexes: readonly string[];
  readonly documentsExamined: number;
  readonly keysExamined: number;
}

const queryCommands = ['find', 'aggregate', 'findAndModify', 'update', 'delete'];
/** What a session or the driver adds, and what explain does not take. */
const envelope = [
  ...['lsid', '$clusterTime', '$db', '$readPreference', 'txnNumber', 'autocommit', 'startTransaction'],
  ...['readConcern', 'writeConcern', 'maxTimeMS', 'retryWrite'],
];

/**
 * The commands that look for documents, or others by name, as the driver sent them while `work` was done. Nothing else
 * may use the connection meanwhile.
 */
export async function captureCommands(
  connection: Connection,
  work: () => Promise<unknown>,
  names: readonly string[] = queryCommands,
): Promise<Command[]> {
  const commands: Command[] = [];
  const listen = ({ commandName, command }: mongo.CommandStartedEvent): void => {
    if (names.includes(commandName)) commands.push(bareCommand(command));
  };
  const client = connection.getClient();
  client.on('commandStarted', listen);
  try {
    await work();
  } finally {
    client.off('commandStarted', listen);
  }
  return commands;
}

/** Asks the database how it does a command, on the data as it is now. */
export async function explain(connection: Connection, command: Command): Promise<Explanation> {
  const explained = await connection
    .getClient()
    .db(connection.name)
    .command({ explain: command, verbosity: 'executionStats' });
  const [name = '', collection] = Object.entries(command)[0] ?? [];
  const plans = findAll(explained, 'winningPlan');
  // Where the newer engine runs a join inside the plan, and where a pipeline's stage does.
  const stages = plans.flatMap((plan) => findAll(plan, 'stage'));
  const joins = findAll(explained, 'indexesUsed').flat();
  const joinScans = [...findAll(explained, 'collectionScans')]
    .filter((scans) => Number(scans) > 0)
    .map(() => 'COLLSCAN');
  const nestedLoops = findAll(explained, 'strategy').filter((strategy) => strategy === 'NestedLoopJoin');
  return {
    command: name,
    collection: String(collection),
    stages: [...stages, ...joinScans, ...nestedLoops.map(() => 'COLLSCAN')].map(String),
    indexes: [...new Set([...plans.flatMap(indexesOf), ...joins].map(String))],
    documentsExamined: Math.max(0, ...findAll(explained, 'totalDocsExamined').map(Number)),
    keysExamined: Math.max(0, ...findAll(explained, 'totalKeysExamined').map(Number)),
  };
}

function bareCommand(command: Command): Command {
  return Object.fromEntries(Object.entries(command).filter(([key]) => !envelope.includes(key)));
}

/** A look-up by `_id` alone has a stage of its own, which names no index in older servers. */
function indexesOf(plan: unknown): unknown[] {
  const byId = findAll(plan, 'stage').some((stage) => stage === 'IDHACK' || stage === 'EXPRESS_CLUSTERED_IXSCAN');
  return [...findAll(plan, 'indexName'), ...(byId ? ['_id_'] : [])];
}

/** Every value under a key, at any depth, but for the plans that lost: their places differ between versions. */
function findAll(value: unknown, wanted: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, unknown>).flatMap(([key, inner]) => {
    if (key === 'rejectedPlans' || key === 'command') return [];
    return [...(key === wanted ? [inner] : []), ...findAll(inner, wanted)];
  });
}
