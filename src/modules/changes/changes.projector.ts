import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { pause } from '../../config/clock.js';
import { Metrics } from '../../observability/metrics.js';
import { DatabaseService } from '../../database/database.service.js';
import type { Checkpoint } from './change.schema.js';
import { ChangesLost, ProjectionRepository } from './projection.repository.js';

/** Pause between two reads of the change stream, so that many changes are written together, in milliseconds. */
const pauseMilliseconds = 200;
/** How often the checkpoint is saved while nothing changes, so that it stays in the oplog, in milliseconds. */
const idleMilliseconds = 10_000;
const retryMilliseconds = 1_000;
/** How often the progress is read and logged while the feed is built, in milliseconds. */
const progressMilliseconds = 5_000;
/** The feed is degraded if it lags more than this many seconds. */
const maxLagSeconds = 10;

/**
 * Writes the change feed from the database's change stream, so that requests write nothing for it. Every server does so:
 * rows and the checkpoint only move forward, so that servers can repeat each other's work, and stop at any time.
 */
@Injectable()
export class ChangesProjector implements OnApplicationShutdown {
  private readonly logger = new Logger('Changes');
  private readonly shutdown = new AbortController();
  private close: (() => Promise<void>) | undefined;
  private loop: Promise<void> | undefined;
  private isInterrupted = false;
  private mustRebuild = false;
  /** Says how far the feed is built; undefined once all changes are in it. */
  building: string | undefined;
  /** When everything that was committed was in the feed, on the monotonic clock. */
  private completeAt = performance.now();

  constructor(
    private readonly database: DatabaseService,
    metrics: Metrics,
  ) {
    // A feed that is not followed yet has no lag: a number would raise the alarm after an ordinary restore.
    const isBuilding = () => this.loop === undefined || (this.building !== undefined && !this.isInterrupted);
    const lag = () => (isBuilding() ? Number.NaN : this.lagSeconds);
    metrics.registerGauges({ ffapi_change_feed_lag_seconds: lag });
  }

  /** Why the feed is degraded; undefined if it is not. */
  get degradedReason(): string | undefined {
    if (this.building !== undefined) return this.building;
    const lag = this.lagSeconds;
    return lag > maxLagSeconds ? `The change feed is ${Math.floor(lag)} s behind` : undefined;
  }

  private get lagSeconds(): number {
    return (performance.now() - this.completeAt) / 1_000;
  }

  /** Starts to write the feed, which needs a replica set. */
  start(): void {
    if (this.shutdown.signal.aborted) return;
    if (!this.database.isReplicaSet) {
      this.logger.warn('MongoDB is not a replica set, so there is no change feed, and no webhook events except `ping`');
      return;
    }
    // Rebuilding a large feed takes longer than the time limit of requests. A second connection reads its progress.
    const client = this.database.createClient({ appName: 'change-feed', socketTimeoutMS: 0, maxPoolSize: 2 });
    this.close = () => client.close();
    this.loop = this.run(new ProjectionRepository(client));
  }

  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.close?.();
    await this.loop;
  }

  private async run(repository: ProjectionRepository): Promise<void> {
    while (!this.shutdown.signal.aborted) {
      await this.follow(repository).catch((error: unknown) => this.onError(error as Error));
      await pause(retryMilliseconds, this.shutdown.signal);
    }
  }

  private onError(error: Error): void {
    if (this.shutdown.signal.aborted) return;
    if (error instanceof ChangesLost) this.mustRebuild = true;
    if (this.isInterrupted) return;
    this.isInterrupted = true;
    this.logger.warn('The change feed is interrupted; retrying', { reason: error.message });
  }

  /** Builds the feed, and says how far it is. */
  private async rebuild(repository: ProjectionRepository): Promise<Checkpoint> {
    this.building ??= this.log('The change feed is being built from the stored records');
    const report = async () => {
      const text = `The change feed is being built, ${await repository.progress()} records`;
      // Unless it was built meanwhile.
      this.building &&= this.log(text);
    };
    // If the progress cannot be read, the rebuild fails for the same reason.
    const timer = setInterval(() => void report().catch(() => undefined), progressMilliseconds);
    return repository.rebuild().finally(() => clearInterval(timer));
  }

  private log(text: string): string {
    this.logger.log(text);
    return text;
  }

  /** Follows the change stream until an error or the shutdown. */
  private async follow(repository: ProjectionRepository): Promise<void> {
    const stored = this.mustRebuild ? null : await repository.findCheckpoint();
    const stream = repository.watch(stored ?? (await this.rebuild(repository)));
    this.mustRebuild = false;
    try {
      for (let savedAt = 0; !this.shutdown.signal.aborted;) {
        const startedAt = performance.now();
        const { rows, checkpoint, isDrained } = await repository.read(stream);
        if (rows.length > 0 || startedAt - savedAt > idleMilliseconds) {
          await repository.write(rows);
          await repository.saveCheckpoint(checkpoint);
          savedAt = startedAt;
        }
        if (this.isInterrupted) this.logger.log('The change feed continues');
        this.isInterrupted = false;
        if (!isDrained) continue;
        this.completeAt = startedAt;
        this.building = undefined;
        await pause(pauseMilliseconds, this.shutdown.signal);
      }
    } finally {
      await stream.close();
    }
  }
}
