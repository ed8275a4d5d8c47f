import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The server as operators run it. */
const builtServer = path.resolve(__dirname, '../../dist/main.js');

/** Keeps the compiled code of the servers of all tests, which saves a twelfth of the processor time of each start. */
export const compileCache = { NODE_COMPILE_CACHE: path.join(tmpdir(), 'flag-football-test-servers') };

/** How a process ended: its exit code, or the signal that ended it. */
export type End = number | NodeJS.Signals | null;

/** The built server as a process, whether it becomes ready or not. */
export class ServerProcess {
  readonly ended: Promise<End>;
  private readonly output: string[] = [];
  private readonly listeners = new Set<() => void>();

  private constructor(
    readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    const read = (chunk: Buffer) => {
      this.output.push(chunk.toString());
      for (const listener of this.listeners) listener();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    // Not on `exit`: the last output may still be buffered then.
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  }

  /**
   * Starts the program with only these variables, by default in a new folder.
   * @param program a file, with Node options before it if needed
   */
  static async spawn(
    environment: Record<string, string>,
    folder?: string,
    ...program: string[]
  ): Promise<ServerProcess> {
    const cwd = folder ?? (await mkdtemp(path.join(tmpdir(), 'server-test-')));
    const always = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      HOST: '127.0.0.1',
      METRICS_PORT: 'off',
      ...compileCache,
    };
    const started = program.length > 0 ? program : [builtServer];
    return new ServerProcess(spawn(process.execPath, started, { cwd, env: { ...always, ...environment } }), cwd);
  }

  /** Everything that the server has written. */
  get log(): string {
    return this.output.join('');
  }

  /**
   * Waits until the server is ready.
   * @returns its URL
   */
  async waitUntilReady(): Promise<string> {
    // The previous release, in `side-by-side`, logs `address`.
    const [, url = ''] = await this.waitForLog(/"(?:url|address)":"([^"]+)"[^\n]*"msg":"Ready"/);
    return url;
  }

  /**
   * Waits until the server has written a matching text.
   * @throws Error with its output after the timeout, or if the server ends before
   */
  waitForLog(pattern: RegExp, withinMilliseconds = 60_000): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void) => {
        this.listeners.delete(look);
        clearTimeout(late);
        outcome();
      };
      const look = () => {
        const found = pattern.exec(this.log);
        if (found !== null) settle(() => resolve(found));
      };
      const fail = (why: string) => settle(() => reject(new Error(`${why}, without ${String(pattern)}:\n${this.log}`)));
      const late = setTimeout(() => fail('The time is over'), withinMilliseconds);
      void this.ended.then((end) => fail(`The server ended with ${String(end)}`));
      this.listeners.add(look);
      look();
    });
  }

  /** Sends a signal and waits for the process to end. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<End> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.ended;
  }

  /** Ends the process if it is running, and removes its folder. */
  async remove(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.end(signal);
    await rm(this.folder, { recursive: true, force: true });
  }
}
