import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, type IndexOptions, mongo } from 'mongoose';
import { Configuration, StartError } from '../config/configuration.js';
import { connectionOptions, driverOptions, poolSize } from './connection-options.js';
import { patchBrokenConnections } from '../workarounds/broken-connections.js';
import { isDatabaseUnavailable, unavailableReason } from './database-error.js';
import { DatabaseMetrics } from './database-metrics.js';

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
    connection.on('disconnected', () => {
      // Before the first connection, each attempt logs its reason.
      if (!this.isClosing && connection.db)
        this.logger.warn('MongoDB is unreachable; the driver reconnects automatically');
    });
    connection.on('reconnected', () => this.logger.log('MongoDB is reachable again'));
  }

  /**
   * Connects to the database, retrying until it is reachable.
   * @throws StartError if it is not a replica set, which transactions and change streams need
   */
  async open(uri: string): Promise<void> {
    this.uri = uri;
    // Retries a failed login, too: an administrator can fix it in the database.
    await this.retryUntilReachable(
      () => this.connect(uri),
      () => true,
    );
    await this.retryUntilReachable(async () => {
      const hello = await this.connection.db?.command({ hello: 1 });
      if (hello?.['setName'] === undefined)
        throw new StartError('MongoDB is not a replica set; start it with --replSet (one member is enough)');
    });
    if (!this.isClosing) await this.warnOfOldVersion();
  }

  private async connect(uri: string): Promise<void> {
    const maxPoolSize = poolSize(this.configuration.maxRequestsInFlight);
    const opening = this.connection.openUri(uri, { ...connectionOptions, maxPoolSize });
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
    const client = this.createClient({ socketTimeoutMS: 0 });
    try {
      for (const name of models) {
        const { schema, collection } = this.connection.model(name);
        for (const [keys, options] of schema.indexes()) {
          this.indexInCreation = options.name;
          const stored = client.db().collection(collection.name);
          await this.ensureIndex(stored, keys as mongo.IndexSpecification, options).catch((cause: unknown) => {
            if (isDatabaseUnavailable(cause)) throw cause;
            throw new StartError(`The indexes of ${collection.name} cannot be created: ${(cause as Error).message}`, {
              cause,
            });
          });
        }
      }
    } finally {
      this.indexInCreation = undefined;
      await client.close();
    }
  }

  /** Creates an index. MongoDB rejects a TTL index with another expiry than the existing one, so `collMod` sets that. */
  private async ensureIndex(collection: mongo.Collection, keys: mongo.IndexSpecification, options: IndexOptions) {
    const { name = '', expireAfterSeconds } = options;
    const create = () => collection.createIndex(keys, options as mongo.IndexOptions, {});
    await create().catch(async (error: unknown) => {
      const isConflict = error instanceof mongo.MongoServerError && error.code === indexOptionsConflict;
      const existing = isConflict ? await collection.indexes() : [];
      const found = existing.find((index) => index.name === name)?.expireAfterSeconds;
      // One without an expiry was not created by a server: its records may have to stay.
      if (expireAfterSeconds === undefined || found === undefined) throw error;
      await collection.db.command({ collMod: collection.collectionName, index: { name, expireAfterSeconds } });
      await create();
      this.logger.log(`The index ${name} expires records after ${expireAfterSeconds} s instead of ${found} s`);
    });
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
    const ping = db.command({ ping: 1 }).then(() => undefined, unavailableReason);
    this.unavailable = await Promise.race([ping, sleep(pingMilliseconds, 'no response within 1 s', { ref: false })]);
    return this.unavailable === undefined;
  }

  /** Closes the connection, and ends every retry. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.connection.close();
  }
}
