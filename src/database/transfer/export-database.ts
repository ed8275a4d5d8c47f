import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Connection, mongo } from 'mongoose';
import { StartError } from '../../config/start-error.js';
import { InexactDocument, toLine } from './exact-document.js';
import { exportFormat, type ExportedCollection, type ExportHeader, type ExportTrailer } from './export-format.js';
import { filledCollections } from './filled-collections.js';

const snapshotTooOld = 239;
/** A collection was made, or got an index, a moment ago: the next moment can be shown. */
const snapshotUnavailable = 246;
const attempts = 25;
const pauseMilliseconds = 200;

/** What is exported. */
export interface ExportOptions {
  /** The collections of the models. */
  readonly known: readonly string[];
  /** Other collections that stay behind on purpose. */
  readonly leftOut: readonly string[];
  /** False where the database is no replica set, and so cannot show one moment of itself. */
  readonly atOneMoment: boolean;
}

/**
 * Writes all data of a database into a stream, as it was at one moment, whatever is written meanwhile; the memory that this
 * takes does not grow with the data.
 * @throws StartError where the database holds what this version does not know, or changed while it was read
 */
export async function exportDatabase(
  connection: Connection,
  options: ExportOptions,
  sink: Writable,
): Promise<ExportHeader> {
  await refuseUnknown(connection, options);
  const { header, reading } = await begin(connection, options);
  try {
    await pipeline(Readable.from(packs(linesFor(connection, header, reading))), createGzip(), sink);
    return header;
  } catch (error) {
    throw forPeople(error);
  } finally {
    await reading?.session.endSession();
  }
}

type Reading = { session: mongo.ClientSession; readConcern: mongo.ReadConcern } | undefined;

/** Chooses the moment by the first look at it, again where the database cannot show that one. */
async function begin(
  connection: Connection,
  { known, atOneMoment }: ExportOptions,
): Promise<{ header: ExportHeader; reading: Reading }> {
  for (let attempt = 1; ; attempt++) {
    const session = atOneMoment ? await connection.startSession({ snapshot: true }) : undefined;
    const reading = session && { session, readConcern: new mongo.ReadConcern('snapshot') };
    try {
      return { header: await headerFor(connection, known, reading), reading };
    } catch (error) {
      await session?.endSession();
      const passes = error instanceof mongo.MongoServerError && error.code === snapshotUnavailable;
      if (!passes || attempt === attempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
  }
}

async function refuseUnknown(connection: Connection, { known, leftOut }: ExportOptions): Promise<void> {
  const expected = new Set([...known, ...leftOut]);
  const unknown = (await filledCollections(connection)).filter((name) => !expected.has(name));
  if (unknown.length === 0) return;
  throw new StartError(
    `The database holds collections that this version does not know: ${unknown.join(', ')}. ` +
      'Nothing was exported. Name each with --leave-out to leave it behind.',
  );
}

async function headerFor(connection: Connection, names: readonly string[], reading: Reading): Promise<ExportHeader> {
  const collections: ExportedCollection[] = [];
  for (const name of names) {
    const documents = await connection.collection(name).countDocuments({}, reading);
    collections.push({ name, documents });
  }
  const { name: format, version } = exportFormat;
  return { format, version, exportedAt: new Date().toISOString(), collections };
}

async function* linesFor(connection: Connection, header: ExportHeader, reading: Reading): AsyncGenerator<string, void> {
  const hash = createHash('sha256');
  const line = (text: string) => {
    hash.update(text).update('\n');
    return `${text}\n`;
  };
  yield line(JSON.stringify(header));
  let all = 0;
  for (const { name, documents } of header.collections) {
    const stored = connection.collection(name).find({}, { ...reading, raw: true, sort: { _id: 1 } });
    let read = 0;
    for await (const bytes of stored) {
      read++;
      yield line(lineOf(bytes as unknown as Uint8Array, name, read));
    }
    if (read !== documents) {
      throw new StartError(`${name} changed while it was read: stop the servers, and export again`);
    }
    all += read;
  }
  const trailer: ExportTrailer = { documents: all, sha256: hash.digest('hex') };
  yield `${JSON.stringify(trailer)}\n`;
}

function lineOf(stored: Uint8Array, collection: string, position: number): string {
  try {
    return toLine(stored);
  } catch (error) {
    if (!(error instanceof InexactDocument)) throw error;
    throw new StartError(`${error.message}: document ${position} of ${collection} in the order of _id`, {
      cause: error,
    });
  }
}

/** Lines in larger pieces: a write for each would take most of the time. */
async function* packs(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let pack = '';
  for await (const line of lines) {
    pack += line;
    if (pack.length < 65_536) continue;
    yield pack;
    pack = '';
  }
  yield pack;
}

function forPeople(error: unknown): unknown {
  if (!(error instanceof mongo.MongoServerError) || error.code !== snapshotTooOld) return error;
  return new StartError(
    'The database keeps its past for too short a time for this export. Raise the server parameter ' +
      'minSnapshotHistoryWindowInSeconds (300 by default), and export again.',
    { cause: error },
  );
}
