import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';

/** The files of one embedded MongoDB. */
export interface MongodFolder {
  /** mongod's own folder, with the data. */
  dbPath: string;
  /** All that mongod writes, of this run and some before. */
  logFile: string;
  /** Is there while the keeper stops mongod. */
  stoppingMark: string;
}

const LARGEST_LOG = 1024 * 1024;

/**
 * Makes the folder if it is missing, and puts a log that has grown large aside, in place of the one put aside before.
 * @param dataFolder may be relative to the working directory
 * @throws Error that names the folder if it cannot be used
 */
export async function prepareMongodFolder(dataFolder: string): Promise<MongodFolder> {
  const folder = path.resolve(dataFolder);
  const dbPath = path.join(folder, 'mongod');
  const logFile = path.join(folder, 'mongod.log');
  try {
    await mkdir(dbPath, { recursive: true });
    if ((await sizeOf(logFile)) > LARGEST_LOG) await rename(logFile, path.join(folder, 'mongod.previous.log'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The data folder ${folder} of the embedded MongoDB cannot be used: ${reason}`, { cause: error });
  }
  return { dbPath, logFile, stoppingMark: path.join(folder, 'mongod.stopping') };
}

/** Bytes in a file; 0 if there is none. */
export async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    (status) => status.size,
    () => 0,
  );
}

/** The text of a file from a byte on; empty if it cannot be read. */
export async function readFrom(file: string, start: number): Promise<string> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of handle.createReadStream({ start })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Whether the mongod that works on the folder has been told to stop. */
export function isStopping(folder: MongodFolder): boolean {
  return existsSync(folder.stoppingMark);
}

/** What a human is told when another mongod works on the folder; with its process id, which that one keeps in its lock file. */
export async function folderInUse(folder: MongodFolder): Promise<string> {
  const pid = Number.parseInt(await readFile(path.join(folder.dbPath, 'mongod.lock'), 'utf8').catch(() => ''));
  const who = Number.isNaN(pid) ? 'Another MongoDB' : `Another MongoDB (process ${pid})`;
  return `${who} works on the data folder ${folder.dbPath}. Is this server running already? Stop that one first, or set MONGODB_URI for this one.`;
}
