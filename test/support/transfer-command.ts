import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

const programs = path.resolve(__dirname, '../../dist/bundle');

/** What came of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A command that runs. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
}

/** Starts the built `db:export` or `db:import` as a process of its own, with these variables alone. */
export function startTransfer(
  which: 'export' | 'import',
  given: readonly string[],
  surroundings: { readonly environment: Record<string, string>; readonly folder: string; readonly stdin?: Buffer },
): RunningCommand {
  const { environment, folder, stdin } = surroundings;
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  const child = spawn(process.execPath, [path.join(programs, `${which}-database.js`), ...given], { cwd: folder, env });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined).end(stdin);
  const outcome = new Promise<Outcome>((resolve) =>
    child.once('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    ),
  );
  return { child, outcome };
}
