import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The keeper needs next to nothing. */
const SMALL = ['--max-old-space-size=16', '--max-semi-space-size=1', '--v8-pool-size=0', '--no-opt'];

/**
 * How a process ended: its exit code, or the signal that ended it.
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null }} End
 */

/**
 * What is started: a program, its arguments, where it runs, all of its environment, and the file that gets what it writes.
 * @typedef {{ command: string, programArguments: string[], cwd: string, env: Record<string, string>, logFile: string }} Program
 */

/** Starts programs under a keeper (keeper.js), so that none outlives this process. */
export class KeeperClient {
  #runs = 0;
  /** @type {Map<number, { pid?: number, started: (pid: number) => void, failed: (error: Error) => void, ended: (end: End) => void }>} */
  #open = new Map();

  /** @param {string} folder is removed when the keeper ends */
  constructor(folder) {
    const program = path.join(import.meta.dirname, 'keeper.js');
    this.keeper = fork(program, [folder], {
      detached: true,
      execArgv: SMALL,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.gone = once(this.keeper, 'exit');
    this.keeper.on('message', (message) => this.#hear(message));
    this.keeper.on('error', () => undefined); // told by its end
    void this.gone.then(() => this.#endOrphans());
  }

  /**
   * Starts a program.
   * @param {Program} program
   * @returns {Promise<{ pid: number, ended: Promise<End> }>} once it runs
   * @throws Error if it cannot be started
   */
  start({ command, programArguments, cwd, env, logFile }) {
    const run = ++this.#runs;
    return new Promise((resolve, reject) => {
      if (!this.keeper.connected) {
        reject(new Error('The cluster has been stopped'));
        return;
      }
      const ended = new Promise((end) => {
        const started = (pid) => resolve({ pid, ended });
        this.#open.set(run, { started, failed: reject, ended: end });
      });
      this.keeper.send({ run, command, programArguments, cwd, env, logFile });
    });
  }

  /** Ends, by force, what still runs, and removes the folder; returns when both are done. */
  async end() {
    if (this.keeper.connected) this.keeper.disconnect();
    await this.gone;
  }

  #hear({ run, pid, error, end }) {
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

  /** The keeper was killed: what it kept is left over. */
  #endOrphans() {
    for (const { pid, failed, ended } of this.#open.values()) {
      try {
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
      failed(new Error('The keeper of the cluster ended'));
      ended({ code: null, signal: 'SIGKILL' });
    }
    this.#open.clear();
  }
}
