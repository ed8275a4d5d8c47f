import { spawn } from 'node:child_process';

/** What became of a program: whether it ended with exit code 0, all it wrote, and, if not ok, why in a few words. */
export interface ProgramEnd {
  ok: boolean;
  output: string;
  reason: string;
}

/** How long a program may take; times in milliseconds. */
export interface ProgramLimits {
  timeoutMs: number;
  /** Give up when not one character came by then: a host that swallows packets would otherwise be waited for in full. */
  firstOutputMs?: number;
  onOutput?: (text: string) => void;
}

/**
 * Runs a program without a shell, with nothing on its stdin, and collects what it writes.
 * @param command a path, or a name that is looked for on the PATH
 * @returns how it ended; never rejects: a program that is missing or hangs is an answer like any other
 */
export function runProgram(command: string, args: readonly string[], limits: ProgramLimits): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let output = '';
    let givenUp = '';
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    // Nobody waits for it any more when this process ends.
    const orphaned = (): void => void child.kill('SIGKILL');
    process.once('exit', orphaned);
    const giveUp = (reason: string): void => {
      givenUp = reason;
      child.kill('SIGKILL');
    };
    const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`;
    const timers = [setTimeout(() => giveUp(`not done within ${seconds(limits.timeoutMs)}`), limits.timeoutMs)];
    const { firstOutputMs } = limits;
    if (firstOutputMs !== undefined) {
      timers.push(
        setTimeout(() => {
          if (output === '') giveUp(`no answer within ${seconds(firstOutputMs)}`);
        }, firstOutputMs),
      );
    }
    const end = (ok: boolean, reason: string): void => {
      process.off('exit', orphaned);
      timers.forEach((timer) => clearTimeout(timer));
      resolve({ ok, output, reason });
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        limits.onOutput?.(text);
      });
    }
    child.on('error', (error: NodeJS.ErrnoException) => end(false, describeSpawnError(error)));
    child.on('close', (code, signal) =>
      end(code === 0, code === 0 ? '' : givenUp || describeExit(code, signal, output)),
    );
  });
}

function describeSpawnError(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'not found';
  if (error.code === 'EACCES') return 'not an executable file';
  return error.message;
}

/**
 * Says how a program ended in one line.
 * @param output what it wrote: its last line that is not empty is mostly the reason
 */
export function describeExit(code: number | null, signal: NodeJS.Signals | null, output: string): string {
  const how = signal === null ? `exit code ${code ?? 'unknown'}` : `ended by ${signal}`;
  const lastLine = output
    .trim()
    .split(/\s*[\r\n]+\s*/)
    .at(-1);
  return lastLine === undefined || lastLine === '' ? how : `${how}: ${lastLine}`;
}
