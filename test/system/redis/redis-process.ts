import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A redis-server on 127.0.0.1 without persistence that stops with the test. */
export class RedisProcess {
  private process: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'redis-test-'));

  private constructor(
    private readonly binary: string,
    readonly port: number,
    private readonly password: string,
  ) {}

  /** Starts a redis-server on a free port; throws if none is on the PATH. */
  static async start(password = ''): Promise<RedisProcess> {
    const redis = new RedisProcess(redisServer(), await freePort(), password);
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
    const child = spawn(this.binary, [...options, '--save', '', '--appendonly', 'no', ...login], {
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

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') {
    throw new Error('No free port');
  }
  return address.port;
}

function redisServer(): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, 'redis-server');
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder of the PATH.
    }
  }
  throw new Error(
    'These tests need a redis-server on the PATH, and there is none: install Redis (`apt-get install redis-server`, ' +
      '`brew install redis`), or leave `test/system/redis` out.',
  );
}
