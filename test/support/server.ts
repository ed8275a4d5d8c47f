import type { ChildProcess } from 'node:child_process';
import { mongo } from 'mongoose';
import request from 'supertest';
import { type End, ServerProcess, superAdmin } from './server-process.js';
import { testDatabaseUri } from './test-database.js';

export { superAdmin } from './server-process.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

/** The built server as a process of its own, on a database of its own. */
export class RunningServer {
  private client: mongo.MongoClient | undefined;
  private superAdminToken = '';

  private constructor(
    readonly url: string,
    readonly databaseUri: string,
    private readonly server: ServerProcess,
  ) {}

  /** Starts the server; `environment` comes on top of what a test needs (no rate limit in the way, a super admin). */
  static async start(environment: Record<string, string> = {}): Promise<RunningServer> {
    const databaseUri = environment['MONGODB_URI'] ?? testDatabaseUri();
    const started = await ServerProcess.spawn({ MONGODB_URI: databaseUri, ...environment });
    try {
      const [, url = ''] = await started.says(/"address":"([^"]+)"[^\n]*"msg":"Ready"/);
      const server = new RunningServer(url, databaseUri, started);
      server.superAdminToken = await server.login(superAdmin.email, superAdmin.password);
      return server;
    } catch (error) {
      await started.remove('SIGKILL');
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
    this.client ??= await new mongo.MongoClient(this.databaseUri).connect();
    return this.client.db();
  }

  /** Sends a signal and waits for the end; the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<End> {
    return this.server.end(signal);
  }

  /** Stops the server and removes its database. */
  async stop(): Promise<void> {
    await this.server.remove();
    await (await this.database()).dropDatabase();
    await this.client?.close();
  }
}
