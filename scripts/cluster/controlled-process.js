import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('./keeper-client.js').End} End */

const LONGEST_START_MS = 60_000;
/** More than any of the programs takes to stop in order. */
const LONGEST_STOP_MS = 30_000;

/** A process of a cluster, which can be stopped, killed, held and started again: on the same port, with the same data. */
export class ControlledProcess {
  /** @type {{ pid: number, ended: Promise<End> } | undefined} */
  #run;
  /** Whether the end of the present run was asked for. */
  #asked = false;

  /**
   * @param {import('./keeper-client.js').KeeperClient} keeper
   * @param {object} what
   * @param {string} what.name
   * @param {number} what.port
   * @param {import('./keeper-client.js').Program} what.program
   * @param {() => Promise<boolean>} what.answers whether it does its work
   * @param {(process: ControlledProcess, end: End) => void} what.endedByItself is told of an end that nobody asked for
   */
  constructor(keeper, { name, port, program, answers, endedByItself }) {
    this.name = name;
    this.port = port;
    this.program = program;
    this.logFile = program.logFile;
    this.keeper = keeper;
    this.answers = answers;
    this.endedByItself = endedByItself;
  }

  /** The process id; undefined while it does not run. */
  get pid() {
    return this.#run?.pid;
  }

  get isRunning() {
    return this.#run !== undefined;
  }

  /**
   * Starts it, for the first time or again, and waits until it answers.
   * @param {{ waits?: boolean }} [options] `waits` false: returns as soon as the process is there
   * @throws Error with the end of its log if it ends before, or does not answer within a minute
   */
  async start({ waits = true } = {}) {
    if (this.#run !== undefined) throw new Error(`${this.name} runs already`);
    const run = await this.keeper.start(this.program);
    this.#run = run;
    this.#asked = false;
    void run.ended.then((end) => {
      this.#run = undefined;
      if (!this.#asked) this.endedByItself(this, end);
    });
    if (waits) await this.untilItAnswers();
  }

  /**
   * Waits until it answers.
   * @throws Error with the end of its log if it ends before, or does not answer within a minute
   */
  async untilItAnswers() {
    const late = Date.now() + LONGEST_START_MS;
    while (!(await this.answers())) {
      if (!this.isRunning) throw new Error(`${this.name} ended instead of starting:\n${await this.endOfLog()}`);
      if (Date.now() > late) throw new Error(`${this.name} does not answer:\n${await this.endOfLog()}`);
      await sleep(100);
    }
  }

  /**
   * Sends a signal and waits for the end; one that hangs goes on first, and one that does not end in 30 s is killed.
   * @param {NodeJS.Signals} [signal]
   * @returns {Promise<End>} how it ended; both null where it did not run
   */
  async stop(signal = 'SIGTERM') {
    const run = this.#run;
    if (run === undefined) return { code: null, signal: null };
    this.#asked = true;
    this.#send(signal);
    if (signal !== 'SIGKILL') this.#send('SIGCONT');
    const force = setTimeout(() => this.#send('SIGKILL'), LONGEST_STOP_MS);
    return run.ended.finally(() => clearTimeout(force));
  }

  /**
   * Kills it, as a crash does, and waits for the end.
   * @returns {Promise<End>}
   */
  kill() {
    return this.stop('SIGKILL');
  }

  /** Lets it hang: its connections stand, and nothing answers. */
  hang() {
    this.#send('SIGSTOP');
  }

  /** Lets one that hangs go on. */
  goOn() {
    this.#send('SIGCONT');
  }

  /** The last lines that it wrote. */
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
      if (error.code !== 'ESRCH') throw error; // it has ended, and the word of it is on its way
    }
  }
}
