import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/mongod-process.js';

/** A redis-server on 127.0.0.1 without persistence that stops with the test. */
export class RedisProcess {
  private process: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'redis-test-'));

  private constructor(
    readonly port: number,
    private readonly password: string,
  ) {}

  /** Starts a redis-server on a free port; throws if none is on the PATH. */
  static async start(password = ''): Promise<RedisProcess> {
    const redis = new RedisProcess(await freePort(), password);
    await redis.startAgain();
    return redis;
  }

  get url(): string {
    const login = this.password === '' ? '' : `:${encodeURIComponent(this.password)}@`;
    return `redis://${login}127.0.0.1:${this.port}`;
  }

  /** Starts it (empty) on the same port, and waits until it accepts connections. */
  async startAgain(): Promise<void> {
    const options = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.folder];
    const login = this.password === '' ? [] : ['--requirepass', this.password];
    const child = spawn('redis-server', [...options, '--save', '', '--appendonly', 'no', ...login], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.process = child;
    // Stops it if the test run is interrupted.
    const killAtExit = () => child.kill('SIGKILL');
    process.once('exit', killAtExit);
    child.once('exit', () => process.removeListener('exit', killAtExit));
    await new Promise<void>((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('Ready to accept connections')) {
          resolve();
        }
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`redis-server ended before it was ready:\n${output}`)));
    });
  }

  /** Kills it, like a crash. */
  async kill(): Promise<void> {
    const child = this.process;
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
  }

  /** Pauses it: connections stay open without responses. */
  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
