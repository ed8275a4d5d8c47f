import { StartError } from './start-error.js';

/** Says what is wrong, for people where they can mend it, and ends the process. */
export function fail(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
}

function textOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Error)) return String(error);
  return error.stack ?? error.message;
}
