import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mongo } from 'mongoose';
import request from 'supertest';
import { testDatabaseUri } from './test-database.js';

const program = path.resolve(__dirname, '../../dist/main.js');
const readyWithin = 20_000;

export const superAdmin = { email: 'root@example.com', password: 'a password for tests' };

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

/** The built server as a process of its own, on a database of its own. */
export class RunningServer {
  private client: mongo.MongoClient | undefined;
  private superAdminToken = '';

  private constructor(
    readonly url: string,
    readonly databaseUri: string,
    readonly process: ChildProcess,
    private readonly output: string[],
    private readonly folder: string,
  ) {}

  /** Starts the server; `environment` comes on top of what a test needs (no rate limit in the way, a super admin). */
  static async start(environment: Record<string, string> = {}): Promise<RunningServer> {
    const databaseUri = environment['MONGODB_URI'] ?? testDatabaseUri();
    const folder = await mkdtemp(path.join(tmpdir(), 'server-test-'));
    const server = await RunningServer.run(folder, databaseUri, {
      MONGODB_URI: databaseUri,
      SUPER_ADMIN_EMAIL: superAdmin.email,
      SUPER_ADMIN_PASSWORD: superAdmin.password,
      RATE_LIMIT_PER_MINUTE: '1000000',
      AUTH_FAILURES_PER_MINUTE: '1000000',
      ...environment,
    });
    server.superAdminToken = await server.login(superAdmin.email, superAdmin.password);
    return server;
  }

  /**
   * Starts the server as a first run does: unconfigured, with an embedded database below the folder. It is stopped
   * with `end()`; the folder is the caller's.
   */
  static startEmbedded(folder: string, environment: Record<string, string> = {}): Promise<RunningServer> {
    return RunningServer.run(folder, '', { MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'] ?? '', ...environment });
  }

  private static async run(
    folder: string,
    databaseUri: string,
    environment: Record<string, string>,
  ): Promise<RunningServer> {
    const always = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', HOST: '127.0.0.1' };
    const child = spawn(process.execPath, [program], { cwd: folder, env: { ...always, ...environment } });
    const output: string[] = [];
    const url = await addressOf(child, output);
    return new RunningServer(url, databaseUri, child, output, folder);
  }

  /** Everything that the server wrote so far. */
  get log(): string {
    return this.output.join('');
  }

  /** A request without any credential. */
  call(method: Method, path: string): request.Test {
    return request(this.url)[method](path);
  }

  /** A request of the super admin. */
  asSuperAdmin(method: Method, path: string): request.Test {
    return this.call(method, path).set('Authorization', `Bearer ${this.superAdminToken}`);
  }

  /** The token that a login gives. */
  async login(email: string, password: string): Promise<string> {
    const answer = await this.call('post', '/auth/login').send({ email, password }).expect(200);
    return (answer.body as { accessToken: string }).accessToken;
  }

  /** The server's database, to look at what was stored or to arrange what no route can. */
  async database(): Promise<mongo.Db> {
    this.client ??= await new mongo.MongoClient(this.databaseUri).connect();
    return this.client.db();
  }

  /** Sends a signal and waits for the end; the exit code, or the signal that ended it. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
    const { exitCode, signalCode } = this.process;
    if (exitCode !== null || signalCode !== null) return exitCode ?? signalCode;
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
      this.process.once('exit', (code, by) => resolve(code ?? by));
    });
    this.process.kill(signal);
    return ended;
  }

  /** Stops the server and removes its database. */
  async stop(): Promise<void> {
    await this.end();
    await (await this.database()).dropDatabase();
    await this.client?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The address from the line that says that the server is ready. */
function addressOf(child: ChildProcess, output: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`The server is not ready:\n${output.join('')}`)), readyWithin);
    child.once('exit', (code) => reject(new Error(`The server ended with ${String(code)}:\n${output.join('')}`)));
    const read = (chunk: Buffer) => {
      output.push(chunk.toString());
      const address = /"address":"([^"]+)"[^\n]*"msg":"Ready"/.exec(output.join(''))?.[1];
      if (address === undefined) return;
      clearTimeout(late);
      resolve(address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
}
