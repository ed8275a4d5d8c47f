import type { ChildProcess } from 'node:child_process';
import { mongo } from 'mongoose';
import request from 'supertest';
import { type End, ServerProcess } from './server-process.js';
import { testDatabaseUri } from './test-database.js';

export const superAdmin = { email: 'root@example.com', password: 'a password for tests' };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

/** The built server as a process of its own, on a database of its own. */
export class RunningServer {
  private client: Promise<mongo.MongoClient> | undefined;
  /** The token of the super admin's login. */
  superAdminToken = '';

  private constructor(
    readonly url: string,
    readonly databaseUri: string,
    private readonly server: ServerProcess,
  ) {}

  /** Starts the server; `environment` comes on top of what a test needs (no rate limit in the way, a super admin). */
  static async start(environment: Record<string, string> = {}): Promise<RunningServer> {
    const databaseUri = environment['MONGODB_URI'] ?? testDatabaseUri();
    const variables = {
      MONGODB_URI: databaseUri,
      SUPER_ADMIN_EMAIL: superAdmin.email,
      SUPER_ADMIN_PASSWORD: superAdmin.password,
      RATE_LIMIT_PER_MINUTE: '1000000',
      AUTH_FAILURES_PER_MINUTE: '1000000',
      ...environment,
    };
    const server = await RunningServer.ready(databaseUri, await ServerProcess.spawn(variables));
    server.superAdminToken = await server.login(variables.SUPER_ADMIN_EMAIL, variables.SUPER_ADMIN_PASSWORD);
    return server;
  }

  /**
   * Starts the server as a first run does: unconfigured, with an embedded database below the folder. It is stopped
   * with `end()`; the folder is the caller's.
   */
  static async startEmbedded(folder: string, environment: Record<string, string> = {}): Promise<RunningServer> {
    const variables = { MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'] ?? '', ...environment };
    return RunningServer.ready('', await ServerProcess.spawn(variables, folder));
  }

  private static async ready(databaseUri: string, started: ServerProcess): Promise<RunningServer> {
    try {
      const [, url = ''] = await started.says(/"address":"([^"]+)"[^\n]*"msg":"Ready"/);
      return new RunningServer(url, databaseUri, started);
    } catch (error) {
      await started.end('SIGKILL');
      throw error;
    }
  }

  /** The process itself. */
  get process(): ChildProcess {
    return this.server.child;
  }

  /** Everything that the server wrote so far. */
  get log(): string {
    return this.server.log;
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
    this.client ??= new mongo.MongoClient(this.databaseUri).connect();
    return (await this.client).db();
  }

  /** Sends a signal and waits for the end; the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<End> {
    return this.server.end(signal);
  }

  /** Stops the server and removes its database. */
  async stop(): Promise<void> {
    await this.server.remove();
    await (await this.database()).dropDatabase();
    await (await this.client)?.close();
  }
}
