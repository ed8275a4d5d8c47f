import { startForTests } from './for-tests.js';
import { createKey, createOrganization, type TestOrganization } from './organization.js';
import { RunningServer } from './server.js';

/** A replica that can be killed repeatedly, and is replaced by another one. */
export class CrashableServer {
  /** Whether it was killed, and the next process is not ready yet. */
  isStarting = false;

  private constructor(private running: RunningServer) {}

  /** Starts one beside a server, for the tests of a file or `describe`. */
  static forTests(beside: RunningServer): CrashableServer {
    const start = () => CrashableServer.start(beside.databaseUri);
    return startForTests(CrashableServer, start, { stop: ({ server }) => server.end('SIGKILL') });
  }

  /** Starts a replica on a database. */
  static async start(databaseUri: string): Promise<CrashableServer> {
    return new CrashableServer(await startReplica(databaseUri));
  }

  get server(): RunningServer {
    return this.running;
  }

  /** Kills the process and switches to a new one. */
  async crash(): Promise<void> {
    const { databaseUri } = this.running;
    this.isStarting = true;
    await this.running.end('SIGKILL');
    this.running = await startReplica(databaseUri);
    this.isStarting = false;
  }
}

/** Two servers of a database of their own, each of which can be killed, and an organization with two keys. */
export class CrashableServers {
  private constructor(
    readonly servers: readonly [CrashableServer, CrashableServer],
    readonly organization: TestOrganization,
    readonly partners: readonly [TestOrganization, TestOrganization],
  ) {}

  static async start(databaseUri: string): Promise<CrashableServers> {
    const servers = [await CrashableServer.start(databaseUri), await CrashableServer.start(databaseUri)] as const;
    const organization = await createOrganization(servers[0].server);
    const key = await createKey(servers[0].server, organization.id, { name: 'League office' });
    return new CrashableServers(servers, organization, [organization, organization.withKey(key)]);
  }

  at(index: number): CrashableServer {
    return this.servers[index % 2] ?? this.servers[0];
  }

  /** Returns a partner that sends to one of the servers, or to the other one while that starts again. */
  over(index: number, partner: TestOrganization = this.organization): TestOrganization {
    return partner.over(this.at(this.at(index).isStarting ? index + 1 : index).server);
  }

  /** Stops the servers and removes their database. */
  async stop(): Promise<void> {
    await this.at(1).server.end('SIGKILL');
    await this.at(0).server.stop();
  }
}

function startReplica(databaseUri: string): Promise<RunningServer> {
  return RunningServer.start({ MONGODB_URI: databaseUri });
}
