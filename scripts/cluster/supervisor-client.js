import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Keeps the memory of the supervisor small. */
const SMALL_PROCESS = ['--max-old-space-size=16', '--max-semi-space-size=1', '--v8-pool-size=0', '--no-opt'];

/**
 * How a process ended: its exit code, or the signal that ended it.
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null }} End
 */

/**
 * A program with its arguments, working directory, complete environment and log file.
 * @typedef {{ command: string, programArguments: string[], cwd: string, env: Record<string, string>, logFile: string }} Program
 */

/** Starts programs as children of the supervisor (supervisor.js), so that none outlives this process. */
export class SupervisorClient {
  #runs = 0;
  /** @type {Map<number, { pid?: number, started: (pid: number) => void, failed: (error: Error) => void, ended: (end: End) => void }>} */
  #open = new Map();

  /** @param {string} folder removed when the supervisor ends */
  constructor(folder) {
    const program = path.join(import.meta.dirname, 'supervisor.js');
    this.supervisor = fork(program, [folder], {
      detached: true,
      execArgv: SMALL_PROCESS,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.gone = once(this.supervisor, 'exit');
    this.supervisor.on('message', (message) => this.#onMessage(message));
    this.supervisor.on('error', () => undefined); // followed by its exit
    void this.gone.then(() => this.#endOrphans());
  }

  /**
   * Starts a program.
   * @param {Program} program
   * @returns {Promise<{ pid: number, ended: Promise<End> }>} when it runs
   * @throws Error if it cannot be started
   */
  start({ command, programArguments, cwd, env, logFile }) {
    const run = ++this.#runs;
    return new Promise((resolve, reject) => {
      if (!this.supervisor.connected) {
        reject(new Error('The cluster has been stopped'));
        return;
      }
      const ended = new Promise((end) => {
        const started = (pid) => resolve({ pid, ended });
        this.#open.set(run, { started, failed: reject, ended: end });
      });
      this.supervisor.send({ run, command, programArguments, cwd, env, logFile });
    });
  }

  /** Kills the processes that still run and removes the folder; returns when both are done. */
  async end() {
    if (this.supervisor.connected) this.supervisor.disconnect();
    await this.gone;
  }

  #onMessage({ run, pid, error, end }) {
    const open = this.#open.get(run);
    if (open === undefined) return;
    if (pid !== undefined) {
      open.pid = pid;
      open.started(pid);
      return;
    }
    this.#open.delete(run);
    if (error !== undefined) open.failed(new Error(error));
    open.ended(end ?? { code: null, signal: null });
  }

  /** Kills the processes of a supervisor that was killed. */
  #endOrphans() {
    for (const { pid, failed, ended } of this.#open.values()) {
      try {
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      } catch {
        // It has already exited.
      }
      failed(new Error('The supervisor of the cluster has ended'));
      ended({ code: null, signal: 'SIGKILL' });
    }
    this.#open.clear();
  }
}
