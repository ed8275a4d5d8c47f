import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../config/start-error.js';

/** Hashes of passwords and keys are in it: for the operator alone. */
const mode = 0o600;

/**
 * Writes a new file, which is there only once it is whole: until then it has the process id and `.partial` behind its name.
 * @param file a path, or `-` for standard output
 * @throws StartError where there is such a file, or it cannot be written
 */
export async function intoFile<T>(file: string, write: (sink: Writable) => Promise<T>): Promise<T> {
  if (file === '-') {
    if (process.stdout.isTTY) throw new StartError('Standard output is a terminal: send it into a file or a program');
    return write(process.stdout);
  }
  if (existsSync(file)) throw new StartError(`There is a file ${file}: nothing was exported`);
  // Of this process alone: another export to the same name must not be published half.
  const partial = `${file}.${process.pid}.partial`;
  const sink = createWriteStream(partial, { flags: 'wx', mode, flush: true });
  await once(sink, 'open').catch(cannot(`${file} cannot be written`));
  try {
    const written = await write(sink);
    // Not `rename`, which would take the place of one that came meanwhile.
    await link(partial, file);
    await rm(partial);
    return written;
  } catch (error) {
    sink.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}

/**
 * Reads a file, as often as is asked for.
 * @param file a path, or `-` for standard input, which is kept in a file of its own meanwhile
 * @throws StartError where it cannot be read
 */
export async function fromFile<T>(file: string, read: (source: () => Readable) => Promise<T>): Promise<T> {
  if (file !== '-') return readFrom(file, read);
  const folder = await mkdtemp(path.join(tmpdir(), 'db-import-'));
  try {
    const kept = path.join(folder, 'export.gz');
    await pipeline(process.stdin, createWriteStream(kept, { mode, flags: 'wx' }));
    return await readFrom(kept, read);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readFrom<T>(file: string, read: (source: () => Readable) => Promise<T>): Promise<T> {
  const probe = await open(file).catch(cannot(`${file} cannot be read`));
  await probe.close();
  return read(() => createReadStream(file));
}

function cannot(what: string): (error: Error) => never {
  return (error) => {
    throw new StartError(`${what}: ${error.message}`, { cause: error });
  };
}
