import type { ChildProcess } from 'node:child_process';
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Db, MongoClient } from 'mongodb';
import request from 'supertest';
import { startForTests } from './for-tests.js';
import { cheapHashes, preload } from './preload.js';
import { secondFactorKey } from './second-factor.js';
import { type End, ServerProcess } from './server-process.js';
import { sharedServer, SharedLog } from './shared-server.js';
import { testDatabaseUri } from './test-database.js';

export const superAdmin = { email: 'root@example.com', password: 'a password for tests' };

/** The secrets with which the shared server signs tokens, and whose tokens it accepts, too. */
export const jwtSecret = 'the secret of the tokens in these tests';
export const secondaryJwtSecret = 'the next secret of the tokens in these tests';

type Environment = Record<string, string>;
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

/** Settings of most tests: practically no rate limit, and a super admin. */
export function testVariables(databaseUri: string) {
  return {
    MONGODB_URI: databaseUri,
    SUPER_ADMIN_EMAIL: superAdmin.email,
    SUPER_ADMIN_PASSWORD: superAdmin.password,
    SECOND_FACTOR_KEY: secondFactorKey,
    RATE_LIMIT_PER_MINUTE: '1000000',
    AUTH_FAILURES_PER_MINUTE: '1000000',
  };
}

/** The built server in its own process and database. */
export class RunningServer {
  private client: Promise<MongoClient> | undefined;
  /** Keeps connections open: a new one for each request costs a seventh of its processor time. */
  private readonly agent: Agent;
  /** The token of the super admin's login. */
  superAdminToken = '';

  private constructor(
    readonly url: string,
    readonly databaseUri: string,
    private readonly own?: ServerProcess,
    private readonly sharedLog?: SharedLog,
  ) {
    // The certificate of a proxy is self-signed.
    this.agent = url.startsWith('https:')
      ? new SecureAgent({ keepAlive: true, rejectUnauthorized: false })
      : new Agent({ keepAlive: true });
  }

  /** For the tests of a file or `describe`: the shared server, or a new one with these variables. */
  static forTests(environment?: Environment | (() => Environment)): RunningServer {
    const start = () => {
      if (environment === undefined) return RunningServer.shared();
      return RunningServer.start(typeof environment === 'function' ? environment() : environment);
    };
    return startForTests(RunningServer, start, { stop: (server) => server.stop() });
  }

  /**
   * The server that all test files share, for tests that need only an organization: no own configuration,
   * process or database, and no shared season. The first file starts it.
   */
  static async shared(): Promise<RunningServer> {
    const shared = await sharedServer(async (spawn) => {
      const variables = {
        ...testVariables(testDatabaseUri('shared')),
        METRICS_PORT: 'off',
        JWT_SECRET: jwtSecret,
        JWT_SECRET_SECONDARY: secondaryJwtSecret,
        WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      };
      const { url, pid, logFile } = await spawn(variables);
      const databaseUri = variables.MONGODB_URI;
      const superAdminToken = await new RunningServer(url, databaseUri).login(superAdmin.email, superAdmin.password);
      return { url, databaseUri, superAdminToken, pid, logFile };
    });
    const server = new RunningServer(shared.url, shared.databaseUri, undefined, new SharedLog(shared.logFile));
    server.superAdminToken = shared.superAdminToken;
    return server;
  }

  /** A server that is started and stopped elsewhere, or the proxy in front of some. */
  static async at(url: string, databaseUri: string): Promise<RunningServer> {
    const server = new RunningServer(url, databaseUri);
    server.superAdminToken = await server.login(superAdmin.email, superAdmin.password);
    return server;
  }

  /** Starts a server, with cheap hashes; `environment` overrides the settings of most tests. */
  static async start(environment: Environment = {}, ...program: string[]): Promise<RunningServer> {
    const databaseUri = environment['MONGODB_URI'] ?? testDatabaseUri();
    const variables = { ...testVariables(databaseUri), ...preload(cheapHashes), ...environment };
    const server = await RunningServer.ready(databaseUri, await ServerProcess.spawn(variables, undefined, ...program));
    server.superAdminToken = await server.login(variables.SUPER_ADMIN_EMAIL, variables.SUPER_ADMIN_PASSWORD);
    return server;
  }

  /**
   * Starts a server without configuration, like a first run, with an embedded database in the folder. Stop it with
   * `end()` and remove the folder.
   */
  static async startEmbedded(folder: string, environment: Environment = {}): Promise<RunningServer> {
    const variables = { MONGOD_BINARY: process.env['TEST_MONGOD_BINARY'] ?? '', ...environment };
    return RunningServer.ready('', await ServerProcess.spawn(variables, folder));
  }

  private static async ready(databaseUri: string, started: ServerProcess): Promise<RunningServer> {
    try {
      return new RunningServer(await started.waitUntilReady(), databaseUri, started);
    } catch (error) {
      await started.end('SIGKILL');
      throw error;
    }
  }

  private get server(): ServerProcess {
    if (this.own === undefined) throw new Error('The shared server has no process of one test file');
    return this.own;
  }

  /** The process itself. */
  get process(): ChildProcess {
    return this.server.child;
  }

  /** Everything that the server has written; of the shared one, since this file started to use it. */
  get log(): string {
    return this.sharedLog?.text ?? this.server.log;
  }

  /** A request without any credential. */
  call(method: Method, path: string): request.Test {
    return request(this.url)[method](path).agent(this.agent);
  }

  /** A request of the super admin. */
  asSuperAdmin(method: Method, path: string): request.Test {
    return this.call(method, path).set('Authorization', `Bearer ${this.superAdminToken}`);
  }

  /** Logs in and returns the token. */
  async login(email: string, password: string): Promise<string> {
    const response = await this.call('post', '/auth/login').send({ email, password }).expect(200);
    return (response.body as { accessToken: string }).accessToken;
  }

  /** The server's database, to check what is stored or to store what no route can. */
  async database(): Promise<Db> {
    // Loaded only where it is needed, because every test file would take 0.3 s for it.
    this.client ??= import('mongodb').then(({ MongoClient }) => new MongoClient(this.databaseUri).connect());
    return (await this.client).db();
  }

  /** Sends a signal and returns the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<End> {
    return this.server.end(signal);
  }

  /** Stops the server and removes its database; only disconnects from the shared one. */
  async stop(): Promise<void> {
    this.agent.destroy();
    if (this.own !== undefined) {
      await this.own.remove();
      await (await this.database()).dropDatabase();
    }
    await (await this.client)?.close();
  }
}
