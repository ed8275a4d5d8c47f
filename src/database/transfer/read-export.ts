import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { damaged, documentsOf, ExportFault, type ExportHeader, headerOf, trailerOf } from './export-format.js';

/** The longest line in bytes: a document has 16 MB at most, which Extended JSON makes several times as long. */
const longestLine = 256 * 2 ** 20;
const lineFeed = 0x0a;

/** A document's line, and where it belongs. */
export interface ExportedLine {
  readonly collection: string;
  readonly line: string;
}

/** An export that is being read. */
export interface OpenExport {
  readonly header: ExportHeader;
  /** Must be read to the end: only that tells that the file is whole. Rejects with an ExportFault where it is not. */
  readonly lines: AsyncGenerator<ExportedLine, void>;
}

/**
 * Begins to read an export.
 * @param source the file's bytes
 * @throws ExportFault where it is no export, or of another version
 */
export async function openExport(source: Readable): Promise<OpenExport> {
  const lines = linesOf(unpacked(source));
  const first = await lines.next();
  if (first.done === true) throw damaged('it is empty');
  const header = headerOf(first.value.toString());
  const hash = createHash('sha256').update(first.value).update('\n');
  return { header, lines: documentLines(header, hash, lines) };
}

/**
 * Reads an export to its end.
 * @returns its header
 * @throws ExportFault where it is not whole
 */
export async function checkExport(source: Readable): Promise<ExportHeader> {
  const { header, lines } = await openExport(source);
  let next = await lines.next();
  while (next.done !== true) next = await lines.next();
  return header;
}

async function* documentLines(
  header: ExportHeader,
  hash: ReturnType<typeof createHash>,
  lines: AsyncGenerator<Buffer, void>,
): AsyncGenerator<ExportedLine, void> {
  const line = async () => {
    const next = await lines.next();
    if (next.done === true) throw damaged('its end is missing');
    return next.value;
  };
  for (const { name, documents } of header.collections) {
    for (let document = 0; document < documents; document++) {
      const bytes = await line();
      hash.update(bytes).update('\n');
      yield { collection: name, line: bytes.toString() };
    }
  }
  const trailer = trailerOf((await line()).toString());
  if (trailer.documents !== documentsOf(header) || trailer.sha256 !== hash.digest('hex')) throw damaged('its checksum');
  if ((await lines.next()).done !== true) throw damaged('more behind its end');
}

async function* unpacked(source: Readable): AsyncGenerator<Buffer, void> {
  const bytes = createGunzip();
  source.once('error', (error) => bytes.destroy(error));
  try {
    for await (const chunk of source.pipe(bytes)) yield chunk as Buffer;
  } catch (error) {
    if (isOfGzip(error)) throw damaged((error as Error).message, error);
    throw new ExportFault(`The file cannot be read: ${(error as Error).message}`, { cause: error });
  } finally {
    source.destroy();
  }
}

function isOfGzip(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('Z_');
}

/** By the line feed alone: Node's readline would also part at characters that may stand in a text. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, begin)) {
      yield Buffer.concat([...parts, chunk.subarray(begin, end)]);
      parts = [];
      length = 0;
      begin = end + 1;
    }
    parts.push(chunk.subarray(begin));
    length += chunk.length - begin;
    if (length > longestLine) throw damaged('a line without an end');
  }
  if (length > 0) throw damaged('its last line');
}
