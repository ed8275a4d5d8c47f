import { startForTests } from './for-tests.js';
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

function startReplica(databaseUri: string): Promise<RunningServer> {
  return RunningServer.start({ MONGODB_URI: databaseUri });
}
