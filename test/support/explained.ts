import type { Connection, mongo } from 'mongoose';

export type Command = Record<string, unknown>;

/** How the database executes a command. */
export interface Explanation {
  readonly command: string;
  readonly collection: string;
  /** Stages of the winning plan, including joined collections. */
  readonly stages: readonly string[];
  /** Indexes of the winning plan, including joined collections. */
  readonly indexes: readonly string[];
  readonly documentsExamined: number;
  readonly keysExamined: number;
}

const queryCommands = ['find', 'aggregate', 'findAndModify', 'update', 'delete'];
/** Fields that sessions and the driver add, which explain does not accept. */
const envelope = [
  ...['lsid', '$clusterTime', '$db', '$readPreference', 'txnNumber', 'autocommit', 'startTransaction'],
  ...['readConcern', 'writeConcern', 'maxTimeMS', 'retryWrite'],
];

/**
 * Returns the queries, or the commands with other names, that the driver sent while `work` ran. Nothing else may use
 * the connection meanwhile.
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

/** Explains a command on the current data. */
export async function explain(connection: Connection, command: Command): Promise<Explanation> {
  const explained = await connection
    .getClient()
    .db(connection.name)
    .command({ explain: command, verbosity: 'executionStats' });
  const [name = '', collection] = Object.entries(command)[0] ?? [];
  const plans = findAll(explained, 'winningPlan');
  // Newer engines run a join inside the plan, older ones in a pipeline stage.
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

/** A lookup by `_id` has its own stage, which names no index in older servers. */
function indexesOf(plan: unknown): unknown[] {
  const byId = findAll(plan, 'stage').some((stage) => stage === 'IDHACK' || stage === 'EXPRESS_CLUSTERED_IXSCAN');
  return [...findAll(plan, 'indexName'), ...(byId ? ['_id_'] : [])];
}

/** Every value of a key at any depth, except in rejected plans, whose location differs between versions. */
function findAll(value: unknown, wanted: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, unknown>).flatMap(([key, inner]) => {
    if (key === 'rejectedPlans' || key === 'command') return [];
    return [...(key === wanted ? [inner] : []), ...findAll(inner, wanted)];
  });
}
