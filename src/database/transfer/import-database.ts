import type { Readable } from 'node:stream';
import type { Connection, mongo } from 'mongoose';
import { StartError } from '../../config/start-error.js';
import { documentOf } from './exact-document.js';
import { ExportFault, type ExportHeader } from './export-format.js';
import { filledCollections } from './filled-collections.js';
import { checkExport, openExport } from './read-export.js';
import { UnfinishedImport, unfinishedImportCollection } from './unfinished-import.js';

/** So many documents, or characters of their lines, are written at once. */
const batchDocuments = 1_000;
const batchCharacters = 4 * 2 ** 20;

/** Where an import comes from and goes to. */
export interface ImportOptions {
  /** The collections of the models. */
  readonly known: readonly string[];
  /** The file's bytes from its beginning; asked for twice. */
  readonly open: () => Readable;
  readonly makeIndexes: () => Promise<void>;
  /** Gets a line for people. */
  readonly tell: (line: string) => void;
}

/**
 * Writes an export into an empty database, and makes the indexes. The file is read whole and checked before anything is
 * written. Where it ends before its time, a mark tells so: no server works on the database, and the next import begins
 * by removing what is there.
 * @throws ExportFault where the file is not whole or not known here; StartError where the database is not empty
 */
export async function importDatabase(connection: Connection, options: ImportOptions): Promise<ExportHeader> {
  const header = await checkExport(options.open());
  refuseUnknown(header, options.known);
  if (!(await UnfinishedImport.isOn(connection))) await demandEmpty(connection);
  const mark = await UnfinishedImport.begin(connection);
  if (!mark.hasRemains) {
    // Once more: before the mark, nothing kept another import away.
    await demandEmpty(connection).catch(async (error: unknown) => {
      // What is there is not ours, and the next import must not take it for that.
      await mark.finish();
      throw error;
    });
  }
  try {
    if (mark.hasRemains) await removeRemains(connection, options);
    await mark.beginWriting();
    await write(connection, options.open());
    await options.makeIndexes();
    await compare(connection, header);
  } catch (error) {
    await mark.breakOff();
    throw error;
  }
  await mark.finish();
  return header;
}

function refuseUnknown({ collections }: ExportHeader, known: readonly string[]): void {
  const unknown = collections.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new ExportFault(
    `The file holds collections that this version does not know: ${unknown.join(', ')}. Nothing was written.`,
  );
}

async function demandEmpty(connection: Connection): Promise<void> {
  const filled = await filledByOthers(connection);
  if (filled.length === 0) return;
  throw new StartError(`The database is not empty: it holds ${filled.join(', ')}. Nothing was written.`);
}

async function removeRemains(connection: Connection, { tell }: ImportOptions): Promise<void> {
  tell('An import was broken off before: what it left is removed first');
  for (const name of await filledByOthers(connection)) await connection.collection(name).drop();
}

async function filledByOthers(connection: Connection): Promise<string[]> {
  return (await filledCollections(connection)).filter((name) => name !== unfinishedImportCollection);
}

async function write(connection: Connection, source: Readable): Promise<void> {
  const { lines } = await openExport(source);
  let batch: mongo.Document[] = [];
  let characters = 0;
  let collection = '';
  const flush = async () => {
    if (batch.length > 0) await connection.collection(collection).insertMany(batch, { ordered: false });
    batch = [];
    characters = 0;
  };
  for await (const next of lines) {
    const isFull = batch.length === batchDocuments || characters > batchCharacters;
    if (isFull || next.collection !== collection) await flush();
    collection = next.collection;
    batch.push(documentOf(next.line));
    characters += next.line.length;
  }
  await flush();
}

async function compare(connection: Connection, { collections }: ExportHeader): Promise<void> {
  for (const { name, documents } of collections) {
    const written = await connection.collection(name).countDocuments();
    if (written !== documents) {
      throw new StartError(
        `${name} has ${written} documents instead of ${documents}: does a server work on this database?`,
      );
    }
  }
}
