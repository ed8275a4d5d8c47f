import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledProgram } from './compiled-program.js';

/** The keeper needs next to nothing, and there is one beside every development server. */
const SMALL = ['--max-old-space-size=16', '--max-semi-space-size=1', '--v8-pool-size=0', '--no-opt'];

// A little more than the ten seconds after which the keeper itself kills mongod.
const PATIENCE_MS = 12_000;

/** What the keeper says: mongod's process id, then how it ended or why it did not start. */
type KeeperReport = { pid: number } | { code: number | null; signal: string | null } | { error: string };

/** A mongod under a keeper. */
export interface KeptMongod {
  /** Resolves, and never rejects, when mongod has ended, with how in a few words. */
  ended: Promise<string>;
  /** Ends mongod in order and resolves when it is gone; may be called again. */
  stop(): Promise<void>;
}

/**
 * Starts mongod under a keeper, which ends it when this process dies. Neither keeps this process alive.
 * @param command.logFile gets all that mongod writes, appended
 * @param command.stoppingMark a file that is there while mongod is being stopped
 */
export function startKeptMongod(command: {
  mongod: string;
  mongodArguments: readonly string[];
  logFile: string;
  stoppingMark: string;
}): KeptMongod {
  const log = openSync(command.logFile, 'a', 0o600);
  const keeperArguments = [compiledProgram('keeper'), command.stoppingMark, command.mongod, ...command.mongodArguments];
  const keeper = spawn(process.execPath, [...SMALL, ...keeperArguments], {
    detached: true,
    stdio: ['pipe', 'pipe', log],
  });
  closeSync(log);
  return watch(keeper);
}

function watch(keeper: ChildProcess): KeptMongod {
  const { stdin, stdout } = keeper as ChildProcess & { stdin: Socket; stdout: Readable & Socket };
  let pid: number | undefined;
  let how: string | undefined;
  createInterface({ input: stdout }).on('line', (line) => {
    const report = JSON.parse(line) as KeeperReport;
    if ('pid' in report) pid = report.pid;
    else how = describeEnd(report);
  });
  stdin.on('error', () => undefined); // the keeper is gone already
  const closed = new Promise<void>((resolve) => {
    keeper.on('error', (error) => {
      how ??= error.message;
      resolve();
    });
    keeper.on('close', () => resolve());
  });
  for (const handle of [keeper, stdin, stdout]) handle.unref();
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    for (const handle of [keeper, stdin, stdout]) handle.ref();
    stdin.end();
    await Promise.race([closed, sleep(PATIENCE_MS, undefined, { ref: false })]);
    // No word of its end: the keeper was killed, or hangs, and mongod would be left over.
    if (how === undefined && pid !== undefined) await endProcess(pid);
    if (keeper.exitCode === null && keeper.signalCode === null) keeper.kill('SIGKILL');
  };
  return { ended: closed.then(() => how ?? 'its keeper ended'), stop: () => (stopped ??= stop()) };
}

function describeEnd(report: Exclude<KeeperReport, { pid: number }>): string {
  if ('error' in report) return report.error;
  return report.signal === null ? `exit code ${report.code ?? 'unknown'}` : `ended by ${report.signal}`;
}

/** Ends a process that is not our child: in order, and by force after ten seconds. */
async function endProcess(pid: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 50) {
    if (!signal(pid, waitedMs === 0 ? 'SIGTERM' : 0)) return;
    await sleep(50);
  }
  signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // no such process
  }
}
