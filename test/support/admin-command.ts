import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileCache } from './server-process.js';

const program = path.resolve(__dirname, '../../dist/cli/admin.js');

/** The result of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Environment, folder and input of a command. */
interface CommandOptions {
  readonly environment?: Record<string, string>;
  /** Working directory; a new temporary one by default. */
  readonly folder?: string;
  /** Standard input, which is not a terminal. */
  readonly stdin?: string;
}

/** Runs the built admin command in its own process with only these variables. */
export async function runAdmin(given: readonly string[], surroundings: CommandOptions = {}): Promise<CommandResult> {
  const own = await mkdtemp(path.join(tmpdir(), 'admin-command-test-'));
  const always = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...compileCache };
  const env = { ...always, ...surroundings.environment };
  const child = spawn(process.execPath, [program, ...given], { cwd: surroundings.folder ?? own, env });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  // A command that ends before it reads leaves a closed pipe.
  child.stdin.on('error', () => undefined).end(surroundings.stdin ?? '');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await rm(own, { recursive: true, force: true });
  // The tests run with any MongoDB.
  return { code, ...said, stderr: said.stderr.replace(/^MongoDB \S+ lacks security fixes; .*\n/, '') };
}

/** Writes a password file for `--password-file`. */
export async function writePasswordFile(folder: string, password: string): Promise<string> {
  const file = path.join(folder, 'password');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return file;
}

/** Checks that a command succeeded with one line. */
export function expectDone(result: CommandResult, line: string): void {
  expect(result).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' });
}

/** Checks that a command failed with a reason and without a stack. */
export function expectFailed({ code, stdout, stderr }: CommandResult, why: string | RegExp): void {
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(why) as string });
  expect(stderr).not.toMatch(/^ +at /m);
}
