import { lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const APPLICATION = 'flag-football-public-api';
const KEPT_NAME = /^mongod-(\d+)\.(\d+)\.(\d+)$/;
const FETCHING_NAME = /^fetching-(\d+)-/;
const ABANDONED_MS = 60 * 60 * 1000;

/**
 * The per-user folders where a fetched mongod is kept, the preferred one first: below the home, else below the system's temporary
 * folder. They need not exist.
 */
export function cacheFolders(): string[] {
  const user = os.platform() === 'win32' ? os.userInfo().username : String(process.getuid?.());
  const inTemporary = path.join(os.tmpdir(), `${APPLICATION}-${user}`);
  try {
    const home = os.homedir();
    return path.isAbsolute(home) ? [path.join(home, '.cache', APPLICATION), inTemporary] : [inTemporary];
  } catch {
    return [inTemporary]; // no home at all, as with some service accounts
  }
}

/**
 * Finds what earlier runs have kept.
 * @param folders see {@link cacheFolders}
 * @returns paths of mongod programs, in the order of the folders, the newest version of each first
 */
export async function keptMongods(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    if (!(await isOurs(folder))) continue;
    const names = (await readdir(folder)).filter((name) => KEPT_NAME.test(name)).sort(newestFirst);
    found.push(...names.map((name) => path.join(folder, name)));
  }
  return found;
}

/** Orders names such as `mongod-6.0.5`, the highest version first. */
export function newestFirst(left: string, right: string): number {
  const weight = (name: string): number =>
    (KEPT_NAME.exec(name) ?? []).slice(1).reduce((sum, part) => sum * 1000 + Number(part), 0);
  return weight(right) - weight(left);
}

/**
 * Makes an empty folder to fetch into, beside the place where the result is kept, so that one rename can move it there; clears away
 * what fetches that were killed have left behind.
 * @param folders see {@link cacheFolders}
 * @throws Error if none of them can be written
 */
export async function makeFetchFolder(folders: readonly string[]): Promise<string> {
  const refusals: string[] = [];
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (!(await isOurs(folder))) throw new Error(`${folder} belongs to somebody else or others may write to it`);
      await removeAbandoned(folder);
      return await mkdtemp(path.join(folder, `fetching-${process.pid}-`));
    } catch (error) {
      refusals.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`no folder to keep it in: ${refusals.join('; ')}`);
}

/**
 * Moves a fetched program to its lasting place in one step: two servers that fetch at the same time, or one killed in the middle,
 * never leave half a program there.
 * @param fetched path of the program, already checked and executable, somewhere below `fetchFolder`
 * @param fetchFolder a folder of {@link makeFetchFolder}
 * @param version as the program itself tells it
 * @returns its lasting path
 */
export async function keepMongod(fetched: string, fetchFolder: string, version: string): Promise<string> {
  const lasting = path.join(path.dirname(fetchFolder), `mongod-${version}`);
  await rename(fetched, lasting);
  return lasting;
}

/** The temporary folder is shared: a program that somebody else could have put there must never be run. */
async function isOurs(folder: string): Promise<boolean> {
  try {
    const status = await lstat(folder);
    if (!status.isDirectory()) return false;
    return process.getuid === undefined || (status.uid === process.getuid() && (status.mode & 0o022) === 0);
  } catch {
    return false;
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = FETCHING_NAME.exec(name)?.[1];
    if (pid === undefined) continue;
    const entry = path.join(folder, name);
    const status = await stat(entry).catch(() => null);
    // The age decides where the number of a dead process has been given to another one.
    const abandoned = status !== null && (!isAlive(Number(pid)) || Date.now() - status.mtimeMs > ABANDONED_MS);
    // It may be cleared away by another server at the same time, or still be written to by the pip of one that was killed.
    if (abandoned) await rm(entry, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
