import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeptMongod, startKeptMongod } from './keeper-process.js';
import { locateMongod } from './locate-mongod.js';
import { folderInUse, isStopping, type MongodFolder, prepareMongodFolder, readFrom, sizeOf } from './mongod-folder.js';
import { explainFailure, type MongodFailure } from './mongod-log.js';
import { becomeWritablePrimary, REPLICA_SET } from './replica-set.js';

/** A running embedded MongoDB. */
export interface EmbeddedMongod {
  /** Names the database `flagfootball`, on 127.0.0.1. */
  uri: string;
  /** Resolves, and never rejects, when mongod, or its keeper, ended without being told to: nothing brings it back. */
  lost: Promise<Error>;
  /** Ends mongod in order, by force after about ten seconds; may be called again. Close your connections first. */
  stop(): Promise<void>;
}

/** What {@link startEmbeddedMongod} works with. */
export interface EmbeddedMongodOptions {
  /** Is made if it is missing; holds the data in `mongod/`, and `mongod.log`. */
  dataFolder: string;
  /** The value of MONGOD_BINARY, if set. */
  mongodBinary?: string | undefined;
  /** Gets one line for a human at a time. */
  progress: (line: string) => void;
  /** Aborted, the start is given up, and what it started is ended. */
  signal?: AbortSignal;
}

/** Long enough for a recovery after a power cut on a slow disk. */
const START_MS = 60_000;
/** How long another mongod on the folder is waited for: its server may have been killed just now. */
const IN_USE_MS = 3_000;
/** The same once it is known to be stopping: a little more than the keeper gives it. */
const STOPPING_MS = 13_000;
const MOST_PORTS = 5;

class StartFailure extends Error {
  constructor(
    readonly kind: MongodFailure['kind'],
    message: string,
  ) {
    super(message);
  }
}

/**
 * Starts the embedded MongoDB: a replica set of one that only this machine reaches, with the data of earlier runs. It ends with this
 * process, however that dies.
 * @throws Error if no mongod is found (see locateMongod), if another one works on the folder, or if it does not start; the message
 * tells a human why
 */
export async function startEmbeddedMongod(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
  const { signal = new AbortController().signal } = options;
  // A download may take minutes; it ends with this process.
  const mongod = await Promise.race([locateMongod(options), givenUp(signal)]);
  const folder = await prepareMongodFolder(options.dataFolder);
  const startedAt = Date.now();
  let ports = 0;
  let waiting = false;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await startOnce(mongod, folder, signal);
    } catch (error) {
      signal.throwIfAborted();
      const kind = error instanceof StartFailure ? error.kind : 'other';
      if (kind === 'other' || (kind === 'port-taken' && ++ports === MOST_PORTS)) throw error;
      if (kind === 'port-taken') continue;
      if (Date.now() - startedAt > (isStopping(folder) ? STOPPING_MS : IN_USE_MS)) {
        throw new Error(await folderInUse(folder), { cause: error });
      }
      if (!waiting) options.progress(`Waiting for another MongoDB on ${folder.dbPath} to stop …`);
      waiting = true;
      await sleep(150);
    }
  }
}

/** Rejects when the start is given up. */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const giveUp = () => reject(new Error('The start of the embedded MongoDB was given up'));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

async function startOnce(mongod: string, folder: MongodFolder, signal: AbortSignal): Promise<EmbeddedMongod> {
  const port = await freePort();
  const logStart = await sizeOf(folder.logFile);
  const kept = startKeptMongod({ mongod, mongodArguments: argumentsFor(folder.dbPath, port), ...folder });
  const over = new AbortController();
  const failed = kept.ended.then(async (how) => {
    over.abort();
    return startFailure(how, explainFailure(await readFrom(folder.logFile, logStart)), folder);
  });
  try {
    const deadline = Date.now() + START_MS;
    const ready = listening(port, deadline, over.signal).then(() =>
      becomeWritablePrimary(port, folder.dbPath, deadline),
    );
    const failure = await Promise.race([ready, failed, givenUp(signal)]);
    if (failure !== undefined) throw failure;
  } catch (error) {
    // A broken connection is only what we see of a mongod that is about to end: its own log says more.
    const moment = signal.aborted ? 0 : 500;
    const known = error instanceof StartFailure ? error : await Promise.race([failed, sleep(moment)]);
    await kept.stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw known ?? startFailure(reason, { kind: 'other', detail: '' }, folder);
  }
  return running(kept, port, folder);
}

function running(kept: KeptMongod, port: number, folder: MongodFolder): EmbeddedMongod {
  let stopping = false;
  const lost = new Promise<Error>((resolve) => {
    void kept.ended.then((how) => {
      const message = `The embedded MongoDB failed while it was in use: ${how}. Its log: ${folder.logFile}`;
      if (!stopping) resolve(new Error(message));
    });
  });
  return {
    lost,
    uri: `mongodb://127.0.0.1:${port}/flagfootball?replicaSet=${REPLICA_SET}`,
    stop: () => {
      stopping = true;
      return kept.stop();
    },
  };
}

function startFailure(how: string, failure: MongodFailure, folder: MongodFolder): StartFailure {
  const why = failure.detail === '' ? how : `${failure.detail} (${how})`;
  return new StartFailure(failure.kind, `The embedded MongoDB did not start: ${why}. Its log: ${folder.logFile}`);
}

/** mongod's arguments: it shares the machine with all else a developer runs, so cache, oplog and log are kept small. */
function argumentsFor(dbPath: string, port: number): string[] {
  const settings = {
    '--dbpath': dbPath,
    '--bind_ip': '127.0.0.1',
    '--port': String(port),
    '--replSet': REPLICA_SET,
    '--oplogSize': '128',
    '--wiredTigerCacheSizeGB': '0.25',
    '--slowms': '1000',
  };
  const parameters = {
    // A transaction whose server was killed holds its keys for so long; the default is a minute.
    transactionLifetimeLimitSeconds: 5,
    diagnosticDataCollectionEnabled: false,
  };
  return [
    ...Object.entries(settings).flat(),
    ...Object.entries(parameters).flatMap(([name, value]) => ['--setParameter', `${name}=${value}`]),
    '--nounixsocket',
    '--quiet',
  ];
}

/** A port that was free a moment ago; mongod says so if somebody else was faster. */
async function freePort(): Promise<number> {
  const server = net.createServer();
  return await new Promise((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function listening(port: number, deadline: number, over: AbortSignal): Promise<void> {
  while (!(await accepts(port))) {
    if (over.aborted || Date.now() > deadline) throw new Error(`it did not listen within ${START_MS / 1000} s`);
    await sleep(20);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const done = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.on('connect', () => done(true)).on('error', () => done(false));
  });
}
