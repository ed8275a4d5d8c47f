import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('./supervisor-client.js').End} End */

const LONGEST_START_MS = 60_000;
/** Longer than any of the programs takes to stop gracefully. */
const LONGEST_STOP_MS = 30_000;

/** A process of a cluster that can be stopped, killed, paused and started again with the same port and data. */
export class ControlledProcess {
  /** @type {{ pid: number, ended: Promise<End> } | undefined} */
  #run;
  /** Whether the current run is being stopped. */
  #isStopping = false;

  /**
   * @param {import('./supervisor-client.js').SupervisorClient} supervisor
   * @param {object} what
   * @param {string} what.name
   * @param {number} what.port
   * @param {import('./supervisor-client.js').Program} what.program
   * @param {() => Promise<boolean>} what.isReady
   * @param {(process: ControlledProcess, end: End) => void} what.onUnexpectedExit called when it ends
   * without being stopped
   */
  constructor(supervisor, { name, port, program, isReady, onUnexpectedExit }) {
    this.name = name;
    this.port = port;
    this.program = program;
    this.logFile = program.logFile;
    this.supervisor = supervisor;
    this.isReady = isReady;
    this.onUnexpectedExit = onUnexpectedExit;
  }

  /** The process ID; undefined while it does not run. */
  get pid() {
    return this.#run?.pid;
  }

  get isRunning() {
    return this.#run !== undefined;
  }

  /**
   * Starts the process and waits until it is ready.
   * @param {{ waits?: boolean }} [options] `waits: false` returns as soon as the process exists
   * @throws Error with the end of its log if it exits, or is not ready within a minute
   */
  async start({ waits = true } = {}) {
    if (this.#run !== undefined) throw new Error(`${this.name} is already running`);
    const run = await this.supervisor.start(this.program);
    this.#run = run;
    this.#isStopping = false;
    void run.ended.then((end) => {
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
    if (this.#run === undefined) return;
    try {
      process.kill(this.#run.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error; // it has exited, which is reported soon
    }
  }
}
