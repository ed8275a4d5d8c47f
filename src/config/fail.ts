import { ConfigurationError } from './configuration.js';

/** Says what is wrong, for people where it is the configuration, and ends the process. */
export function fail(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
}

function textOf(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as Error & { code?: string; address?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port ?? ''} of ${address ?? ''} is in use; choose another one with PORT.`;
  return error.stack ?? error.message;
}
