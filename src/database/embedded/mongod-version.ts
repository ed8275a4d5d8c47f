import { runProgram } from './run-program.js';

/** The server is measured and tested from this major version of MongoDB on. */
export const OLDEST_MAJOR = 6;

// Generous: on a cold disk or behind a virus scanner the first start of a 150 MB program takes seconds.
const ANSWER_MS = 20_000;

/** Either the version of a mongod that runs here, or why it cannot be used. */
export type MongodCheck = { version: string } | { reason: string };

/**
 * Reads the version out of what `mongod --version` writes.
 * @returns for example `6.0.5`, or null if this is not the answer of a mongod
 */
export function parseMongodVersion(output: string): string | null {
  return /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1] ?? null;
}

/**
 * Runs `mongod --version`: a file may be there and yet not run, for want of a library, of the right processor or of its second half.
 * @param mongod path of the program
 * @returns its version, or in a few words why it cannot be used; never rejects
 */
export async function checkMongod(mongod: string): Promise<MongodCheck> {
  const end = await runProgram(mongod, ['--version'], { timeoutMs: ANSWER_MS });
  if (!end.ok) return { reason: end.reason };
  const version = parseMongodVersion(end.output);
  if (version === null) return { reason: 'does not answer like a mongod' };
  if (Number.parseInt(version) < OLDEST_MAJOR) {
    return { reason: `is MongoDB ${version}; ${OLDEST_MAJOR}.0 or later is needed` };
  }
  return { version };
}
