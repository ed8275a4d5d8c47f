import { parseArgs } from 'node:util';
import { StartError } from '../config/start-error.js';

export const exportUsage = `Usage: npm run db:export -- <file> [--leave-out <collection>]…

Writes all data of the database into a new file, as it was at one moment. It holds password and key hashes.
- is standard output: npm run --silent db:export -- - | …
It reads the database of MONGODB_URI; without one, the embedded database in .data/ while no server runs.
`;

export const importUsage = `Usage: npm run db:import -- <file>

Writes an export into an empty database, and makes the indexes. Start servers after it, not before.
- is standard input.
It writes to the database of MONGODB_URI; without one, to the embedded database in .data/ while no server runs.
`;

/** What an operator wants to move, and where. */
export interface TransferArguments {
  /** A path, or `-`. */
  readonly file: string;
  readonly leftOut: readonly string[];
}

/**
 * Reads what stands behind `npm run db:export --`; undefined where help is asked for.
 * @throws StartError with the usage
 */
export function readExportArguments(given: readonly string[]): TransferArguments | undefined {
  return read(given, { 'leave-out': { type: 'string', multiple: true } }, exportUsage);
}

/**
 * Reads what stands behind `npm run db:import --`; undefined where help is asked for.
 * @throws StartError with the usage
 */
export function readImportArguments(given: readonly string[]): TransferArguments | undefined {
  return read(given, {}, importUsage);
}

function read(
  given: readonly string[],
  options: Record<string, { type: 'string'; multiple: true }>,
  usage: string,
): TransferArguments | undefined {
  if (given.some((argument) => argument === '--help' || argument === '-h')) return undefined;
  const { values, positionals } = parsed(given, options, usage);
  const [file, ...more] = positionals;
  if (file === undefined || file === '') throw new StartError(`Which file?\n\n${usage}`);
  if (more.length > 0) throw new StartError(`One file, and nothing else.\n\n${usage}`);
  return { file, leftOut: values['leave-out'] ?? [] };
}

function parsed(
  given: readonly string[],
  options: Record<string, { type: 'string'; multiple: true }>,
  usage: string,
): { values: Partial<Record<string, string[]>>; positionals: string[] } {
  try {
    return parseArgs({ args: [...given], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}
