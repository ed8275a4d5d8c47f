import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A redis-server of the test's own: on 127.0.0.1, keeping nothing, stopped with the test. */
export class RedisProcess {
  private process: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'redis-test-'));

  private constructor(
    private readonly binary: string,
    readonly port: number,
    private readonly password: string,
  ) {}

  /** Starts one on a free port; throws when no redis-server is on the PATH. `password` may be any plain text. */
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
    // A test run that is broken off must not leave it running.
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

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    const child = this.process;
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
  }

  /** Makes it hang: connections stay open, nothing is answered. */
  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  /** Ends it and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A port on which nobody listens just now. */
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
      // Not in this folder.
    }
  }
  throw new Error(
    'These tests need a redis-server on the PATH, and there is none: install Redis (`apt-get install redis-server`, ' +
      '`brew install redis`), or leave `test/system/redis` out.',
  );
}
