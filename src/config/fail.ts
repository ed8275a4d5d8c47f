import { StartError } from './start-error.js';

/** Says what is wrong, for people where they can mend it, and ends the process. */
export function fail(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
}

function textOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as Error & { code?: string; address?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port ?? ''} of ${address ?? ''} is in use; choose another one with PORT.`;
  return error.stack ?? error.message;
}
