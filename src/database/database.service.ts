import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, createConnection, mongo } from 'mongoose';
import { Configuration, StartError } from '../common/config/configuration.js';
import { endOperationsOfBrokenConnections } from './broken-connections.js';
import { connectionOptions, driverOptions, poolSize } from './connection-options.js';
import { isDatabaseAway } from './database-error.filter.js';
import { DatabaseMetrics } from './database-metrics.js';
import { measured } from './operations.js';
import { assertSupported } from './schema-rules.js';
import type { CommandSpans } from './command-spans.js';
import type { EmbeddedMongod } from '../dev/embedded-mongod/embedded-mongod.js';

const retryMilliseconds = 500;
const pingMilliseconds = 1_000;

/** Opens and closes the one connection, the embedded database with it, and makes the indexes. */
@Injectable()
export class DatabaseService {
  private readonly logger = new Logger('Database');
  private embedded: EmbeddedMongod | undefined;
  private embeddedStart: Promise<EmbeddedMongod> | undefined;
  private resolveEmbeddedLost: (fault: Error) => void = () => undefined;
  private uri: string | undefined;
  private readonly ending = new AbortController();
  private standalone = false;
  private isObserved = false;
  private reachable: Promise<boolean> | undefined;

  constructor(
    private readonly configuration: Configuration,
    @InjectConnection() private readonly connection: Connection,
    private readonly metrics: DatabaseMetrics,
  ) {
    endOperationsOfBrokenConnections();
    // Without a listener an error of the connection would end the process; every operation reports its own.
    connection.on('error', () => undefined);
    connection.on('disconnected', () => this.isClosing || this.logger.warn('The database is away'));
    connection.on('reconnected', () => this.logger.log('The database is back'));
  }

  /** Resolves where the embedded database ended by itself, and is gone: this server cannot serve any more. */
  readonly embeddedLost = new Promise<Error>((resolve) => (this.resolveEmbeddedLost = resolve));

  /** True where this server brings its own database. */
  get isEmbedded(): boolean {
    return this.configuration.database.uri === undefined;
  }

  /** False where the open database is no replica set: what is written in a transaction cannot be written there. */
  get hasTransactions(): boolean {
    return !this.standalone;
  }

  /** Traces each command from now on; call it before the database is opened. */
  traceCommands(spans: CommandSpans): void {
    this.isObserved = true;
    spans.observe(this.connection);
  }

  /**
   * Connects to the database, retrying until it is reachable.
   * @throws StartError if the embedded database cannot be started, Error for a schema with an unsupported option
   */
  async open(): Promise<void> {
    Object.values(this.connection.models).forEach(assertSupported);
    const { uri } = this.configuration.database;
    const address = uri ?? (await this.openEmbedded());
    this.uri = address;
    // A refused login, too, may be mended on the other side: the server waits, and says why.
    await this.retryUntilReachable(
      () => this.connect(address),
      () => true,
    );
    if (this.isClosing) return;
    await this.warnOfStandalone();
  }

  /** Starts the embedded database; its address. */
  private async openEmbedded(): Promise<string> {
    const { mongodBinary } = this.configuration.database;
    // Never loaded where MONGODB_URI is set.
    const { startEmbeddedMongod } = await import('../dev/embedded-mongod/embedded-mongod.js');
    this.embeddedStart = startEmbeddedMongod({
      dataFolder: this.configuration.dataFolder,
      ...(mongodBinary !== undefined && { mongodBinary }),
      progress: (line) => this.logger.log(line),
      signal: this.ending.signal,
    });
    this.embedded = await this.embeddedStart.catch(cannot('The embedded database cannot be started'));
    void this.embedded.ended.then((how) => {
      const message = `The embedded MongoDB failed while it was in use: ${how}. Its log: ${this.configuration.dataFolder}/mongod.log`;
      if (!this.isClosing) this.resolveEmbeddedLost(new Error(message));
    });
    return this.embedded.uri;
  }

  private async connect(address: string): Promise<void> {
    const maxPoolSize = poolSize(this.configuration.maxRequestsInFlight);
    const options = { ...connectionOptions, maxPoolSize, ...(this.isObserved && { monitorCommands: true }) };
    const opening = this.connection.openUri(address, options);
    // Each attempt makes another client, which is there before its first connection.
    const client = this.connection.getClient();
    this.metrics.follow(client);
    await opening;
  }

  /** Without a replica set there are no transactions: the newcomer's most likely mistake. */
  private async warnOfStandalone(): Promise<void> {
    const hello = await this.connection.db?.command({ hello: 1 }).catch(() => undefined);
    this.standalone = hello !== undefined && !('setName' in hello) && hello['msg'] !== 'isdbgrid';
    if (!this.standalone) return;
    this.logger.warn(
      'MONGODB_URI names no replica set (one member is enough): API keys, organizations, users, seasons and statistics cannot be written',
    );
  }

  /**
   * Does something at the start that needs the database, again and again while the database is away.
   * @throws whatever the work throws, where that does not pass by itself
   */
  async retryUntilReachable(
    work: () => Promise<unknown>,
    passes: (error: unknown) => boolean = isDatabaseAway,
  ): Promise<void> {
    for (let attempt = 0; !this.isClosing; attempt++) {
      try {
        await work();
        return;
      } catch (error) {
        if (!passes(error)) throw error;
        // Said at once and then about every ten seconds.
        if (attempt % 5 === 0) this.logger.warn(`Waiting for the database: ${(error as Error).message}`);
        await new Promise((resolve) => setTimeout(resolve, retryMilliseconds));
      }
    }
  }

  /**
   * Makes every index that the schemas name, on a connection of its own that may take its time.
   * @throws StartError where an index cannot be made, as a unique one over records that are not
   */
  async ensureIndexes(): Promise<void> {
    if (this.uri === undefined) throw new Error('The database is not open');
    const connection = await createConnection(this.uri, {
      ...connectionOptions,
      socketTimeoutMS: 0,
      minPoolSize: 0,
    }).asPromise();
    try {
      for (const [name, model] of Object.entries(this.connection.models)) {
        await connection
          .model(name, model.schema)
          .createIndexes()
          .catch(cannot(`The indexes of ${name} cannot be made`));
      }
    } finally {
      await connection.close();
    }
  }

  /** Creates a client with a connection of its own, which requests cannot hold up. */
  createClient(): mongo.MongoClient {
    if (this.uri === undefined) throw new Error('The database is not open');
    return new mongo.MongoClient(this.uri, { ...driverOptions, minPoolSize: 0, maxPoolSize: 1 });
  }

  /** True where the database answers within a second. Whoever asks meanwhile shares the answer: many cost as much as one. */
  isReachable(): Promise<boolean> {
    this.reachable ??= this.ping().finally(() => (this.reachable = undefined));
    return this.reachable;
  }

  private async ping(): Promise<boolean> {
    const { db } = this.connection;
    if (db === undefined) return false;
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), pingMilliseconds).unref());
    const ping = measured('ping', () => db.command({ ping: 1 })).then(
      () => true,
      () => false,
    );
    return Promise.race([ping, late]);
  }

  /** Closes the connection, and the embedded database after it. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.connection.close();
    // Told to close while it starts: what it started is ended there.
    const embedded = await this.embeddedStart?.catch(() => undefined);
    await embedded?.stop();
  }

  private get isClosing(): boolean {
    return this.ending.signal.aborted;
  }
}

/** Tells what cannot be done, and why, to whoever starts the server; that the database is away is told by itself. */
function cannot(what: string): (reason: Error) => never {
  return (reason) => {
    throw isDatabaseAway(reason) ? reason : new StartError(`${what}: ${reason.message}`, { cause: reason });
  };
}
