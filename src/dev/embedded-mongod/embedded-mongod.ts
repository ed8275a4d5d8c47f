import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoInstance } from 'mongodb-memory-server';
import { type LocateOptions, locateMongod } from './locate-mongod.js';
import { becomeWritablePrimary, isPrimaryOf, REPLICA_SET } from './replica-set.js';

export interface MongodbServer {
  /** The connection string with the database. */
  readonly uri: string;
  /** Stops an embedded mongod gracefully, and kills it after 10 s. Close your connections first. */
  stop(): Promise<void>;
}

interface EmbeddedMongodOptions extends LocateOptions {
  /** Created if it is missing. Contains the data in `mongod/`, `mongod.log`, and the port in `mongod.port`. */
  dataFolder: string;
}

class FolderInUseError extends Error {}

/** Long enough for a recovery after a power cut on a slow disk. */
const START_MS = 60_000;
/** How long to wait for another mongod on the folder to end, since its server may just have been killed. */
const IN_USE_MS = 10_000;
const STOP_MS = 10_000;

/** mongod's arguments. Cache, oplog and log are small because it shares a developer's machine. */
const MONGOD_ARGUMENTS = [
  ...['--nounixsocket', '--oplogSize', '128', '--wiredTigerCacheSizeGB', '0.25'],
  ...['--quiet', '--slowms', '1000', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // Releases the locks of a killed server's transaction after 5 s instead of 60 s.
  ...['--setParameter', 'transactionLifetimeLimitSeconds=5'],
];

type MongodOptions = Required<ConstructorParameters<typeof MongoInstance>[0]>;

/** The library's mongod process, on a port that the operating system assigns, with its output in a file. */
class Mongod extends MongoInstance {
  constructor(
    options: MongodOptions,
    private readonly log: WriteStream,
  ) {
    super(options);
  }

  override stdoutHandler(output: string | Buffer): void {
    this.log.write(output);
    const port = /"Waiting for connections","attr":\{"port":(\d+)/.exec(String(output))?.[1];
    if (port !== undefined) this.instanceOpts.port = Number(port);
    super.stdoutHandler(output);
  }

  protected override checkErrorInLine(): void {
    // The library's own throws outside any promise when a line comes together with others. The log has the reason.
  }
}

/**
 * Starts the embedded MongoDB: a replica set with one member on 127.0.0.1 that keeps its data between runs. The library
 * ends it with this process, even after `kill -9`. If it ends before `stop`, an unhandled error ends this process, which
 * cannot work without it.
 * @throws Error with a message for the user if there is no mongod, another one uses the folder, or the start fails
 */
export async function startEmbeddedMongod(options: EmbeddedMongodOptions): Promise<MongodbServer> {
  const { progress, signal } = options;
  const binary = await locateMongod(options);
  const folder = await prepareFolder(options.dataFolder);
  const deadline = Date.now() + IN_USE_MS;
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await startOnce(binary, folder);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || Date.now() > deadline) throw error;
      if (attempt === 0) progress(`Waiting for another MongoDB on ${dataIn(folder)} to stop …`);
      await sleep(150);
    }
  }
}

/** Returns the URI of the embedded MongoDB of a running server, if there is one. */
export async function findRunningMongod(dataFolder: string): Promise<string | undefined> {
  const folder = path.resolve(dataFolder);
  const port = Number(await readFile(portFileIn(folder), 'utf8').catch(() => ''));
  // A killed server leaves its port, which another MongoDB can get.
  return port > 0 && (await isPrimaryOf(dataIn(folder), port)) ? uriOf(port) : undefined;
}

const dataIn = (folder: string): string => path.join(folder, 'mongod');
const logIn = (folder: string): string => path.join(folder, 'mongod.log');
const portFileIn = (folder: string): string => path.join(folder, 'mongod.port');
const uriOf = (port: number): string => `mongodb://127.0.0.1:${port}/flagfootball?replicaSet=${REPLICA_SET}`;

async function prepareFolder(dataFolder: string): Promise<string> {
  const folder = path.resolve(dataFolder);
  await mkdir(dataIn(folder), { recursive: true });
  await rename(logIn(folder), path.join(folder, 'mongod.previous.log')).catch(() => undefined); // it may not exist
  return folder;
}

async function startOnce(binary: MongodOptions['binary'], folder: string): Promise<MongodbServer> {
  const place = { ip: '127.0.0.1', port: 0, dbPath: dataIn(folder), replSet: REPLICA_SET };
  const instance = { ...place, args: MONGOD_ARGUMENTS, launchTimeout: START_MS };
  // What ends mongod is the error, not a log that cannot be written.
  const log = createWriteStream(logIn(folder), { mode: 0o600 }).on('error', () => undefined);
  // In its own process group: Ctrl-C reaches only the server, which stops mongod gracefully.
  const mongod = new Mongod({ instance, binary, spawn: { detached: true } }, log);
  let isRunning = false;
  void once(mongod, 'instanceClosed').then(([code, signal]) => {
    if (!isRunning) return;
    throw new Error(`The embedded MongoDB ended unexpectedly (${signal ?? code}). Its log: ${logIn(folder)}`);
  });
  const stop = async (): Promise<void> => {
    isRunning = false;
    // The library waits longer than a server that stops.
    const timer = setTimeout(() => mongod.mongodProcess?.kill('SIGKILL'), STOP_MS);
    await mongod.stop().finally(() => clearTimeout(timer));
  };
  try {
    await mongod.start();
    const { port = 0 } = mongod.instanceOpts;
    await becomeWritablePrimary(port, Date.now() + START_MS);
    await writeFile(portFileIn(folder), String(port));
    isRunning = true;
    return { uri: uriOf(port), stop };
  } catch (error) {
    await stop();
    await new Promise<void>((resolve) => log.end(resolve));
    throw await startProblem(folder, error as Error);
  }
}

/** Describes a failed start with the first error in mongod's log, or with the process that uses the folder. */
async function startProblem(folder: string, cause: Error): Promise<Error> {
  const log = await readFile(logIn(folder), 'utf8').catch(() => '');
  if (log.includes('DBPathInUse')) {
    const pid = Number.parseInt(await readFile(path.join(dataIn(folder), 'mongod.lock'), 'utf8').catch(() => ''));
    const who = Number.isNaN(pid) ? 'Another MongoDB' : `Another MongoDB (process ${pid})`;
    const todo = 'Stop it first, or set MONGODB_URI.';
    return new FolderInUseError(`${who} is using the data folder ${dataIn(folder)}. ${todo}`, { cause });
  }
  const error = /"s":"[EF]".*?("msg":.{0,400})/.exec(log)?.[1];
  const reason = error === undefined ? cause.message : `${error} (${cause.message})`;
  return new Error(`The embedded MongoDB did not start: ${reason}. Its log: ${logIn(folder)}`, { cause });
}
