import { StartError } from '../../config/start-error.js';

/**
 * The file of an export: gzip of lines. The first is the header, then comes a line for each document in the order of the
 * header's collections, and the last is the trailer, without which the file is not whole.
 */
export const exportFormat = { name: 'flag-football-database', version: 1 } as const;

/** How many documents of a collection follow. */
export interface ExportedCollection {
  readonly name: string;
  readonly documents: number;
}

/** The first line. */
export interface ExportHeader {
  readonly format: string;
  readonly version: number;
  /** When it was made, as an ISO date-time. */
  readonly exportedAt: string;
  readonly collections: readonly ExportedCollection[];
}

/** The last line. */
export interface ExportTrailer {
  readonly documents: number;
  /** Of all lines before, each with its line feed. */
  readonly sha256: string;
}

/** A file that is no export, not a whole one, or one that this version cannot read. */
export class ExportFault extends StartError {}

/** The sum of all documents. */
export function documentsOf({ collections }: ExportHeader): number {
  return collections.reduce((sum, { documents }) => sum + documents, 0);
}

/**
 * The first line, read.
 * @throws ExportFault where it is none, or of a version that is not known here
 */
export function headerOf(line: string): ExportHeader {
  const header = jsonOf(line) as Partial<ExportHeader> | undefined;
  if (header?.format !== exportFormat.name) throw new ExportFault('The file is no export of this server’s database');
  if (header.version !== exportFormat.version) {
    throw new ExportFault(
      `The file has version ${String(header.version)} of the format, and this server reads version ${exportFormat.version} only`,
    );
  }
  if (!Array.isArray(header.collections) || !header.collections.every(isCollection)) throw damaged('its header');
  return header as ExportHeader;
}

/**
 * The last line, read.
 * @throws ExportFault where it is none
 */
export function trailerOf(line: string): ExportTrailer {
  const trailer = jsonOf(line) as Partial<ExportTrailer> | undefined;
  if (typeof trailer?.documents !== 'number' || typeof trailer.sha256 !== 'string') throw damaged('its end');
  return trailer as ExportTrailer;
}

/** What is said of a file that is not as it was written. */
export function damaged(what: string, cause?: unknown): ExportFault {
  return new ExportFault(`The file is damaged or not whole (${what})`, { cause });
}

function isCollection(value: unknown): value is ExportedCollection {
  const { name, documents } = (value ?? {}) as Partial<ExportedCollection>;
  return typeof name === 'string' && Number.isInteger(documents);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line) ?? undefined;
  } catch {
    return undefined;
  }
}
