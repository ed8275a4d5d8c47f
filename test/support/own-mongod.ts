import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mongo } from 'mongoose';
import { eventually } from './processes.js';

/** The name of the database that its URI is for. */
export const database = 'away';

/**
 * A mongod of a test's own, a replica set of one on a fixed port, that can be taken away and brought back. Not
 * mongodb-memory-server, whose replica set does not survive a restart on the same folder.
 */
export class OwnMongod {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private standalone: boolean,
  ) {}

  /** Starts one; `standalone`: without a replica set, as it comes where nobody configures it. */
  static async start({ standalone = false } = {}): Promise<OwnMongod> {
    const mongod = new OwnMongod(await aFreePort(), await mkdtemp(path.join(tmpdir(), 'own-mongod-')), standalone);
    await mongod.begin();
    return mongod;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.port}/${database}${this.standalone ? '' : '?replicaSet=own'}`;
  }

  /** Starts it again on the data that it has, as no replica set. */
  beginAlone(): Promise<void> {
    this.standalone = true;
    return this.begin();
  }

  /** Starts it, on the data that it has; waits until it takes writes. */
  async begin(): Promise<void> {
    this.spawn(this.standalone ? [] : ['--replSet', 'own']);
    const client = new mongo.MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`);
    try {
      const admin = client.db('admin');
      const config = { _id: 'own', members: [{ _id: 0, host: `127.0.0.1:${this.port}` }] };
      const initiate = this.standalone ? { ping: 1 } : { replSetInitiate: config };
      await admin.command(initiate).catch((error: unknown) => {
        if (!(error instanceof mongo.MongoServerError) || error.codeName !== 'AlreadyInitialized') throw error;
      });
      const isPrimary = async () => (await admin.command({ hello: 1 }))['isWritablePrimary'] === true;
      await eventually('mongod takes writes', isPrimary, 20);
    } finally {
      await client.close();
    }
  }

  private spawn(more: readonly string[]): void {
    const place = ['--port', String(this.port), '--dbpath', this.folder, '--bind_ip', '127.0.0.1', '--nounixsocket'];
    const parameters = ['transactionLifetimeLimitSeconds=5', 'enableTestCommands=1'];
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
    const client = new mongo.MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`);
    const how = data === undefined ? { mode: 'off' } : { mode: 'alwaysOn', data };
    await client.db('admin').command({ configureFailPoint: 'failCommand', ...how });
    await client.close();
  }

  /** How many commands of a name it works on for a server: its own housekeeping has some, too. */
  async commandsUnderWay(name: string): Promise<number> {
    const client = new mongo.MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`);
    const match = { [`command.${name}`]: { $exists: true }, 'command.$db': database };
    const pipeline = [{ $currentOp: {} }, { $match: match }];
    const found = await client.db('admin').aggregate(pipeline).toArray();
    await client.close();
    return found.length;
  }

  /** Kills it: nobody answers at its address. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Stops it in order: its files are whole then, also for one that stands alone. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child?.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  /** Lets it hang: connections stand, and nothing answers. */
  hang(): void {
    this.child?.kill('SIGSTOP');
  }

  /** Lets a hanging one go on. */
  goOn(): void {
    this.child?.kill('SIGCONT');
  }

  /** Kills it and removes its data. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A port that nobody listens on at this moment. */
export async function aFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
