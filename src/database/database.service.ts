import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, createConnection, type Model, mongo } from 'mongoose';
import { Configuration, StartError } from '../config/configuration.js';
import { connectionOptions, driverOptions, poolSize } from './connection-options.js';
import { patchBrokenConnections } from '../workarounds/broken-connections.js';
import { isDatabaseUnavailable, unavailableReason } from './database-error.js';
import { DatabaseMetrics } from './database-metrics.js';
import { measureOperation } from './operation-events.js';
import type { CommandSpans } from './command-spans.js';

const retryMilliseconds = 500;
const pingMilliseconds = 1_000;
const indexOptionsConflict = 85;
/** docs/operators/install.md names what older versions lack. */
const recommendedVersion = '8.0.21';

/** Opens and closes the one connection, and creates the indexes. */
@Injectable()
export class DatabaseService {
  private readonly logger = new Logger('Database');
  private uri: string | undefined;
  private isClosing = false;
  private topology: 'standalone' | 'replica set' | 'sharded cluster' = 'replica set';
  private isTraced = false;
  private wrongSet: string | undefined;
  /** Why the database was unavailable when it was last tried: the driver's reason, or that it is another set. */
  unavailable: string | undefined;
  /** The index that this server is creating. */
  indexInCreation: string | undefined;

  constructor(
    private readonly configuration: Configuration,
    @InjectConnection() private readonly connection: Connection,
    private readonly metrics: DatabaseMetrics,
  ) {
    patchBrokenConnections();
    // Without a listener, an error of the connection would end the process. Every operation reports its own errors.
    connection.on('error', () => undefined);
    connection.on(
      'disconnected',
      // Before the first connection, each attempt logs its reason.
      () =>
        this.isClosing ||
        !connection.db ||
        this.logger.warn('MongoDB is unreachable; the driver reconnects automatically'),
    );
    connection.on('reconnected', () => this.logger.log('MongoDB is reachable again'));
  }

  /** Whether the open database is a replica set or a sharded cluster, which transactions need. */
  get hasTransactions(): boolean {
    return this.topology !== 'standalone';
  }

  /** Whether the open database is a replica set, which the change feed needs. */
  get isReplicaSet(): boolean {
    return this.topology === 'replica set';
  }

  /** Creates a span for each command; call it before `open`. */
  traceCommands(spans: CommandSpans): void {
    this.isTraced = true;
    spans.observe(this.connection);
  }

  /** Connects to the database, retrying until it is reachable. */
  async open(uri: string): Promise<void> {
    this.uri = uri;
    // Retries a failed login, too: an administrator can fix it in the database.
    await this.retryUntilReachable(
      () => this.connect(uri),
      () => true,
    );
    if (this.isClosing) return;
    await this.detectTopology();
    await this.warnOfOldVersion();
  }

  private async connect(uri: string): Promise<void> {
    const maxPoolSize = poolSize(this.configuration.maxRequestsInFlight);
    const options = { ...connectionOptions, maxPoolSize, ...(this.isTraced && { monitorCommands: true }) };
    const opening = this.connection.openUri(uri, options);
    // Each attempt creates a new client, which exists before its first connection.
    const client = this.connection.getClient();
    this.metrics.observe(client);
    // The driver ignores members of other sets, and only says that it found no server.
    client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => {
      const { replicaSet: expected } = client.options;
      const { setName = 'no set' } = reply as { setName?: string };
      this.wrongSet =
        expected && setName !== expected
          ? `${connectionId} reports ${setName}, MONGODB_URI says ${expected}`
          : undefined;
    });
    await opening;
  }

  /** Warns if the database is not a replica set, and therefore has no transactions. */
  private async detectTopology(): Promise<void> {
    const hello = await this.connection.db?.command({ hello: 1 }).catch(() => undefined);
    if (hello === undefined || 'setName' in hello) return;
    this.topology = hello['msg'] === 'isdbgrid' ? 'sharded cluster' : 'standalone';
    if (this.hasTransactions) return;
    this.logger.warn(
      'MongoDB is not a replica set, so API keys, organizations, users, seasons, statistics, calendar links ' +
        'and webhook endpoints cannot be written; start it with --replSet (one member is enough)',
    );
  }

  /** Warns of a MongoDB without security fixes, except of the embedded one, which only this machine reaches. */
  private async warnOfOldVersion(): Promise<void> {
    if (this.configuration.database.uri === undefined) return;
    const info = await this.connection.db?.command({ buildInfo: 1 }).catch(() => undefined);
    const version = String(info?.['version'] ?? recommendedVersion);
    if (version.localeCompare(recommendedVersion, 'en', { numeric: true }) >= 0) return;
    this.logger.warn(`MongoDB ${version} lacks security fixes; upgrade to ${recommendedVersion} or later`);
  }

  /**
   * Runs work that the start needs, and retries it while the database is unavailable.
   * @param isTransient whether to retry after an error
   * @throws every other error of the work
   */
  async retryUntilReachable(
    work: () => Promise<unknown>,
    isTransient: (error: unknown) => boolean = isDatabaseUnavailable,
  ): Promise<void> {
    for (let attempt = 0; !this.isClosing; attempt++) {
      try {
        await work();
        this.unavailable = undefined;
        return;
      } catch (error) {
        if (!isTransient(error)) throw error;
        this.unavailable = this.wrongSet ?? unavailableReason(error);
        // Logs the first failure, then every fifth one, which is about every 10 s.
        if (attempt % 5 === 0) this.logger.warn(`MongoDB is unavailable: ${this.unavailable}; retrying`);
        await sleep(retryMilliseconds);
      }
    }
  }

  /**
   * Creates every index that the schemas of these models declare, on a separate connection without a socket timeout. Existing TTL indexes
   * get the expiry that the schemas declare.
   * @throws StartError if an index cannot be created, such as a unique one over duplicate values
   */
  async ensureIndexes(models = Object.keys(this.connection.models)): Promise<void> {
    if (this.uri === undefined) throw new Error('The database is not open');
    const connection = await createConnection(this.uri, {
      ...connectionOptions,
      socketTimeoutMS: 0,
      minPoolSize: 0,
    }).asPromise();
    try {
      for (const name of models) {
        const created = connection.model<unknown>(name, this.connection.model<unknown>(name).schema);
        created.on(
          'index-single-start',
          (_fields: object, options: { name?: string }) => (this.indexInCreation = options.name),
        );
        await this.createIndexes(created).catch((cause: unknown) => {
          if (isDatabaseUnavailable(cause)) throw cause;
          throw new StartError(`The indexes of ${name} cannot be created: ${(cause as Error).message}`, { cause });
        });
      }
    } finally {
      this.indexInCreation = undefined;
      await connection.close();
    }
  }

  /** Creates the indexes of a model. `createIndexes` rejects a TTL index with another expiry, so `collMod` sets that. */
  private async createIndexes(model: Model<unknown>): Promise<void> {
    try {
      await model.createIndexes();
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError) || error.code !== indexOptionsConflict) throw error;
      const existing = await model.collection.indexes();
      for (const [, { name, expireAfterSeconds }] of model.schema.indexes()) {
        const found = existing.find((index) => index.name === name)?.expireAfterSeconds;
        if (found === undefined || expireAfterSeconds === undefined || found === expireAfterSeconds) continue;
        await model.db.db?.command({ collMod: model.collection.name, index: { name, expireAfterSeconds } });
        this.logger.log(`The index ${name} expires records after ${expireAfterSeconds} s instead of ${found} s`);
      }
      await model.createIndexes();
    }
  }

  /** Creates a client with one connection that requests do not use. */
  createClient(options: mongo.MongoClientOptions = {}): mongo.MongoClient {
    if (this.uri === undefined) throw new Error('The database is not open');
    return new mongo.MongoClient(this.uri, { ...driverOptions, minPoolSize: 0, maxPoolSize: 1, ...options });
  }

  /** Returns whether the database responds to a ping within 1 s. */
  async isReachable(): Promise<boolean> {
    const { db } = this.connection;
    if (db === undefined) return false;
    const ping = measureOperation('ping', () => db.command({ ping: 1 })).then(() => undefined, unavailableReason);
    this.unavailable = await Promise.race([ping, sleep(pingMilliseconds, 'no response within 1 s', { ref: false })]);
    return this.unavailable === undefined;
  }

  /** Closes the connection, and ends every retry. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.connection.close();
  }
}
