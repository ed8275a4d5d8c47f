import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { startForTests } from './for-tests.js';
import { eventually } from './processes.js';
import { RunningServer } from './server.js';

/** The database name in its URI. */
export const database = 'away';

/**
 * A mongod that one test stops and restarts: a replica set of one on a fixed port. Not mongodb-memory-server, which
 * can neither kill nor suspend it, and always switches access control off.
 */
export class MongodProcess {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    /** Its data files, which can be copied while it is stopped. */
    readonly folder: string,
  ) {}

  /** Starts one for the tests of a file or `describe`. */
  static forTests(): MongodProcess {
    return startForTests(MongodProcess, () => MongodProcess.start(), { stop: (mongod) => mongod.remove() });
  }

  static async start(): Promise<MongodProcess> {
    const mongod = new MongodProcess(await freePort(), await mkdtemp(path.join(tmpdir(), 'own-mongod-')));
    await mongod.start();
    return mongod;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.port}/${database}?replicaSet=own`;
  }

  /** Restarts it on its data, so that every client must log in. */
  async startWithAccessControl(): Promise<void> {
    const keyFile = path.join(this.folder, 'key-file');
    await writeFile(keyFile, 'between members', { mode: 0o600 });
    return this.start(['--keyFile', keyFile]);
  }

  /** Starts it on its data and waits until it accepts writes. */
  async start(more: readonly string[] = []): Promise<void> {
    this.spawn(['--replSet', 'own', ...more]);
    const client = new MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`);
    try {
      const admin = client.db('admin');
      const config = { _id: 'own', members: [{ _id: 0, host: `127.0.0.1:${this.port}` }] };
      await admin.command({ replSetInitiate: config }).catch((error: unknown) => {
        if (!(error instanceof MongoServerError) || !/^(AlreadyInitialized|Unauthorized)$/.test(error.codeName ?? ''))
          throw error;
      });
      const isPrimary = async () => (await admin.command({ hello: 1 }))['isWritablePrimary'] === true;
      await eventually('mongod takes writes', isPrimary, 20);
    } finally {
      await client.close();
    }
  }

  private spawn(more: readonly string[]): void {
    const place = ['--port', String(this.port), '--dbpath', this.folder, '--bind_ip', '127.0.0.1', '--nounixsocket'];
    const parameters = [
      ...['transactionLifetimeLimitSeconds=5', 'enableTestCommands=1', 'ttlMonitorSleepSecs=1'],
      'diagnosticDataCollectionEnabled=false',
    ];
    const options = [...place, ...parameters.flatMap((parameter) => ['--setParameter', parameter]), ...more];
    this.child = spawn(process.env['TEST_MONGOD_BINARY'] ?? 'mongod', options, { stdio: 'ignore' });
  }

  /** Lets commands fail or hang as `failCommand` of MongoDB's own tests does; without `data` they work again. */
  async failCommands(data?: {
    failCommands: string[];
    errorCode?: number;
    blockConnection?: true;
    blockTimeMS?: number;
    /** Only commands on this collection, as `<database>.<collection>`. */
    namespace?: string;
  }) {
    const client = new MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`);
    const how = data === undefined ? { mode: 'off' } : { mode: 'alwaysOn', data };
    await client.db('admin').command({ configureFailPoint: 'failCommand', ...how });
    await client.close();
  }

  /** How many commands of this name it is running for a server, without its own housekeeping. */
  async countRunningCommands(name: string, collection: unknown = { $exists: true }): Promise<number> {
    const client = new MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`);
    const match = { [`command.${name}`]: collection, 'command.$db': database };
    const pipeline = [{ $currentOp: {} }, { $match: match }];
    const found = await client.db('admin').aggregate(pipeline).toArray();
    await client.close();
    return found.length;
  }

  /** Kills it. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Stops it gracefully. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child?.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  /** Suspends it: connections stay open without any response. */
  suspend(): void {
    this.child?.kill('SIGSTOP');
    // A running thread stops a moment after the signal.
    const tasks = `/proc/${this.child?.pid ?? 0}/task`;
    const isRunning = (id: string) => !/\) [Tt] /.test(readFileSync(`${tasks}/${id}/stat`, 'latin1'));
    while (existsSync(tasks) && readdirSync(tasks).some(isRunning));
  }

  /** Resumes it. */
  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Kills it and removes its data. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Starts a server on a mongod of its own, which the tests of a file or `describe` can hinder. */
export function serverOnOwnMongod(environment: Record<string, string> = {}): {
  server: RunningServer;
  mongod: MongodProcess;
} {
  const mongod = MongodProcess.forTests();
  return { server: RunningServer.forTests(() => ({ MONGODB_URI: mongod.uri, ...environment })), mongod };
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
