import { startForTests } from './for-tests.js';
import { createKey, createOrganization, type TestOrganization } from './organization.js';
import { RunningServer } from './server.js';

/** A replica that can be killed repeatedly: the next one starts while one runs. */
export class CrashableServer {
  private constructor(
    private readonly databaseUri: string,
    private running: RunningServer,
    private next: Promise<RunningServer>,
  ) {}

  /** Starts one beside a server, for the tests of a file or `describe`. */
  static forTests(beside: RunningServer): CrashableServer {
    const start = () => CrashableServer.start(beside.databaseUri);
    return startForTests(CrashableServer, start, { stop: (server) => server.stop() });
  }

  /** Starts a replica on a database. */
  static async start(databaseUri: string): Promise<CrashableServer> {
    const running = await startReplica(databaseUri);
    return new CrashableServer(databaseUri, running, startReplica(databaseUri));
  }

  get server(): RunningServer {
    return this.running;
  }

  /** Kills the process and switches to the next one. */
  async crash(): Promise<void> {
    await this.running.end('SIGKILL');
    this.running = await this.next;
    this.next = startReplica(this.databaseUri);
  }

  async stop(): Promise<void> {
    for (const server of [this.running, await this.next]) await server.end('SIGKILL');
  }
}

/** Two servers of a database of their own, each of which can be killed, and an organization with two keys. */
export class CrashableServers {
  private constructor(
    /** Has ended; it only owns the database. */
    readonly database: RunningServer,
    readonly servers: readonly [CrashableServer, CrashableServer],
    readonly organization: TestOrganization,
    readonly partners: readonly [TestOrganization, TestOrganization],
  ) {}

  static async start(databaseUri: string): Promise<CrashableServers> {
    const database = await RunningServer.start({ MONGODB_URI: databaseUri });
    const servers = await Promise.all([CrashableServer.start(databaseUri), CrashableServer.start(databaseUri)]);
    const organization = await createOrganization(database);
    const key = await createKey(database, organization.id, { name: 'League office' });
    await database.end();
    return new CrashableServers(database, servers, organization, [organization, organization.withKey(key)]);
  }

  at(index: number): CrashableServer {
    return this.servers[index % 2] ?? this.servers[0];
  }

  /** Returns a partner that sends to one of the servers. */
  over(index: number, partner: TestOrganization = this.organization): TestOrganization {
    return partner.over(this.at(index).server);
  }

  async stop(): Promise<void> {
    for (const server of this.servers) await server.stop();
    await this.database.stop();
  }
}

function startReplica(databaseUri: string): Promise<RunningServer> {
  return RunningServer.start({ MONGODB_URI: databaseUri });
}
