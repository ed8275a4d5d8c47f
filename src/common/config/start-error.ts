/** Why a start fails, in words that tell people what to do; printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Prints an error on standard error and exits with 1. */
export function exitWithError(error: unknown): never {
  const text = error instanceof Error && !(error instanceof StartError) ? error.stack : undefined;
  process.stderr.write(`${text ?? (error instanceof Error ? error.message : String(error))}\n`);
  process.exit(1);
}
