import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocateOptions, locateMongod } from './locate-mongod.js';
import { becomeWritablePrimary, isPrimaryOf, REPLICA_SET } from './replica-set.js';

export interface EmbeddedMongod {
  /** The connection string of the database `flagfootball` on 127.0.0.1. */
  uri: string;
  /** Resolves to the exit code or signal, as text, when mongod has ended. */
  ended: Promise<string>;
  /** Stops mongod gracefully, and kills it after 10 s. Close your connections first. */
  stop(): Promise<void>;
}

interface EmbeddedMongodOptions extends LocateOptions {
  /** Created if it is missing. Contains the data in `mongod/`, `mongod.log`, and the port in `mongod.port`. */
  dataFolder: string;
}

interface Folder {
  readonly dbPath: string;
  readonly logFile: string;
}

class FolderInUseError extends Error {}

/** Long enough for a recovery after a power cut on a slow disk. */
const START_MS = 60_000;
/** How long to wait for another mongod on the folder to end, since its server may just have been killed. */
const IN_USE_MS = 10_000;
const KILL_AFTER_MS = 10_000;

/** mongod's arguments. Cache, oplog and log are small because it shares a developer's machine. */
const MONGOD_ARGUMENTS = [
  // The operating system assigns a free port, which mongod reports in its log.
  ...['--bind_ip', '127.0.0.1', '--port', '0', '--nounixsocket'],
  ...['--replSet', REPLICA_SET, '--oplogSize', '128', '--wiredTigerCacheSizeGB', '0.25'],
  ...['--quiet', '--slowms', '1000', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // Releases the locks of a killed server's transaction after 5 s instead of 60 s.
  ...['--setParameter', 'transactionLifetimeLimitSeconds=5'],
];

/** Causes that a user can fix; the first error in the log may be another one. */
const KNOWN_CAUSES =
  /no space left|disk quota|read-only file system|permission denied|featureCompatibilityVersion|unsupported upgrade|corrupt|too many open files|cannot allocate/i;

/** Stops mongod when standard input closes, which happens however the server ends. */
const WATCHDOG = 'read _; kill "$0"';

/**
 * Starts the embedded MongoDB: a replica set with one member on 127.0.0.1 that keeps its data between runs. It ends
 * with this process, even after `kill -9`.
 * @throws Error with a message for the user if there is no mongod, another one uses the folder, or the start fails
 */
export async function startEmbeddedMongod(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
  const { progress, signal } = options;
  const mongod = await locateMongod(options);
  const folder = await prepareFolder(options.dataFolder);
  const deadline = Date.now() + IN_USE_MS;
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await startOnce(mongod, folder);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || Date.now() > deadline) throw error;
      if (attempt === 0) progress(`Waiting for another MongoDB on ${folder.dbPath} to stop …`);
      await sleep(150);
    }
  }
}

/** Returns the URI of the embedded MongoDB of a running server, if there is one. */
export async function findRunningMongod(dataFolder: string): Promise<string | undefined> {
  const folder = path.resolve(dataFolder);
  const port = Number(await readFile(portFileIn(folder), 'utf8').catch(() => ''));
  // A killed server leaves its port, which another MongoDB can get.
  return port > 0 && (await isPrimaryOf(path.join(folder, 'mongod'), port)) ? uriOf(port) : undefined;
}

const portFileIn = (folder: string): string => path.join(folder, 'mongod.port');
const uriOf = (port: number): string => `mongodb://127.0.0.1:${port}/flagfootball?replicaSet=${REPLICA_SET}`;

async function prepareFolder(dataFolder: string): Promise<Folder> {
  const folder = path.resolve(dataFolder);
  const dbPath = path.join(folder, 'mongod');
  const logFile = path.join(folder, 'mongod.log');
  try {
    await mkdir(dbPath, { recursive: true });
    await rename(logFile, path.join(folder, 'mongod.previous.log')).catch(() => undefined); // the file may not exist
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`The data folder ${folder} of the embedded MongoDB cannot be used: ${message}`, { cause: error });
  }
  return { dbPath, logFile };
}

async function startOnce(mongod: string, folder: Folder): Promise<EmbeddedMongod> {
  const deadline = Date.now() + START_MS;
  const running = spawnMongod(mongod, folder);
  try {
    const port = await listeningPort(folder.logFile, running.ended, deadline);
    await becomeWritablePrimary(port, deadline);
    await writeFile(portFileIn(path.dirname(folder.logFile)), String(port));
    return { uri: uriOf(port), ...running };
  } catch (error) {
    await running.stop();
    const log = await readFile(folder.logFile, 'utf8');
    if (log.includes('DBPathInUse')) throw new FolderInUseError(await folderInUse(folder), { cause: error });
    const cause = `${causeOfFailure(log)} (${(error as Error).message})`;
    throw new Error(`The embedded MongoDB did not start: ${cause}. Its log: ${folder.logFile}`, { cause: error });
  }
}

/** Starts mongod in its own process group: Ctrl-C reaches only the server, which stops mongod gracefully. */
function spawnMongod(mongod: string, { dbPath, logFile }: Folder): Omit<EmbeddedMongod, 'uri'> {
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(mongod, ['--dbpath', dbPath, ...MONGOD_ARGUMENTS], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `ended by ${signal}`));
  });
  if (child.pid !== undefined) {
    const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, String(child.pid)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    void ended.then(() => watchdog.kill('SIGKILL'));
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(timer);
  };
  return { ended, stop };
}

/** Waits until mongod reports in its log that it listens. */
async function listeningPort(logFile: string, ended: Promise<string>, deadline: number): Promise<number> {
  while (Date.now() < deadline) {
    const log = await readFile(logFile, 'utf8');
    const port = /"Waiting for connections","attr":\{"port":(\d+)/.exec(log)?.[1];
    if (port !== undefined) return Number(port);
    const reason = await Promise.race([ended, sleep(20)]);
    if (reason !== undefined) throw new Error(reason);
  }
  throw new Error(`it did not listen within ${START_MS / 1000} s`);
}

/** Returns the log line that explains a failed start best: a known cause, the first error, or the last line. */
export function causeOfFailure(log: string): string {
  const lines = log.trim().split('\n');
  const problems = lines.filter((line) => /"s":"[WEF]"/.test(line));
  const known = problems.find((line) => KNOWN_CAUSES.test(line));
  const cause = known ?? problems.find((line) => !line.includes('"s":"W"')) ?? lines.at(-1) ?? '';
  return cause.slice(Math.max(cause.indexOf('"msg"'), 0)).slice(0, 400);
}

/** Describes the process that uses the folder, whose ID is in mongod's lock file. */
async function folderInUse({ dbPath }: Folder): Promise<string> {
  const pid = Number.parseInt(await readFile(path.join(dbPath, 'mongod.lock'), 'utf8').catch(() => ''));
  const who = Number.isNaN(pid) ? 'Another MongoDB' : `Another MongoDB (process ${pid})`;
  return `${who} is using the data folder ${dbPath}. Stop it first, or set MONGODB_URI.`;
}
