import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How a process ended: its exit code, or the signal that ended it.
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null }} End
 */

/**
 * A program with its arguments, working directory, complete environment and log file.
 * @typedef {{ command: string, programArguments: string[], cwd: string, env: Record<string, string>, logFile: string }} Program
 */

/** Kills a process, even a paused one, when standard input closes, which happens however the parent process ends. */
const WATCHDOG = 'read _; kill -9 "$0"';
const LONGEST_START_MS = 60_000;
/** Longer than any of the programs takes to stop gracefully. */
const LONGEST_STOP_MS = 30_000;

/** A process of a cluster that can be stopped, killed, paused and started again with the same port and data. */
export class ControlledProcess {
  /** @type {{ child: import('node:child_process').ChildProcess, ended: Promise<End> } | undefined} */
  #run;
  /** Whether the current run is being stopped. */
  #isStopping = false;

  /**
   * @param {object} what
   * @param {string} what.name
   * @param {number} what.port
   * @param {Program} what.program
   * @param {() => Promise<boolean>} what.isReady
   * @param {() => boolean} what.mayStart
   * @param {(process: ControlledProcess, end: End) => void} what.onUnexpectedExit called when it ends
   * without being stopped
   */
  constructor({ name, port, program, isReady, mayStart, onUnexpectedExit }) {
    this.name = name;
    this.port = port;
    this.program = program;
    this.logFile = program.logFile;
    this.isReady = isReady;
    this.mayStart = mayStart;
    this.onUnexpectedExit = onUnexpectedExit;
  }

  /** The process ID; undefined while it does not run. */
  get pid() {
    return this.#run?.child.pid;
  }

  get isRunning() {
    return this.#run !== undefined;
  }

  /**
   * Starts the process and waits until it is ready. It runs in a session of its own, which Ctrl-C in a terminal does not
   * reach, and never outlives this process.
   * @param {{ waits?: boolean }} [options] `waits: false` returns as soon as the process exists
   * @throws Error with the end of its log if it exits, or is not ready within a minute
   */
  async start({ waits = true } = {}) {
    if (this.#run !== undefined) throw new Error(`${this.name} is already running`);
    if (!this.mayStart()) throw new Error('The cluster has been stopped');
    const { command, programArguments, cwd, env } = this.program;
    const log = openSync(this.logFile, 'a', 0o600);
    const child = spawn(command, programArguments, { cwd, env, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    await once(child, 'spawn');
    const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
    this.#run = { child, ended };
    this.#isStopping = false;
    const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, String(child.pid)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    void ended.then((end) => {
      watchdog.kill('SIGKILL');
      this.#run = undefined;
      if (!this.#isStopping) this.onUnexpectedExit(this, end);
    });
    if (waits) await this.waitUntilReady();
  }

  /**
   * Waits until the process is ready.
   * @throws Error with the end of its log if it exits, or is not ready within a minute
   */
  async waitUntilReady() {
    const deadline = Date.now() + LONGEST_START_MS;
    while (!(await this.isReady())) {
      if (!this.isRunning) throw new Error(`${this.name} ended instead of starting:\n${await this.endOfLog()}`);
      if (Date.now() > deadline) throw new Error(`${this.name} is not ready:\n${await this.endOfLog()}`);
      await sleep(100);
    }
  }

  /**
   * Sends a signal and waits for the exit. A paused process is resumed first; one that does not exit within 30 s is
   * killed.
   * @param {NodeJS.Signals} [signal]
   * @returns {Promise<End>} how it ended; both fields are null if it did not run
   */
  async stop(signal = 'SIGTERM') {
    const run = this.#run;
    if (run === undefined) return { code: null, signal: null };
    this.#isStopping = true;
    this.#send(signal);
    if (signal !== 'SIGKILL') this.#send('SIGCONT');
    const force = setTimeout(() => this.#send('SIGKILL'), LONGEST_STOP_MS);
    return run.ended.finally(() => clearTimeout(force));
  }

  /**
   * Kills the process, like a crash, and waits for the exit.
   * @returns {Promise<End>}
   */
  kill() {
    return this.stop('SIGKILL');
  }

  /** Pauses the process: its connections stay open, but it does not respond. */
  hang() {
    this.#send('SIGSTOP');
  }

  /** Resumes a paused process. */
  resume() {
    this.#send('SIGCONT');
  }

  /** Returns the last lines of its log. */
  async endOfLog(lines = 20) {
    const text = await readFile(this.logFile, 'utf8').catch(() => '');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  /** @param {NodeJS.Signals} signal */
  #send(signal) {
    this.#run?.child.kill(signal);
  }
}
