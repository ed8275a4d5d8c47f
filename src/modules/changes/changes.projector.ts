import { Injectable, Logger } from '@nestjs/common';
import { pause } from '../../config/clock.js';
import { Metrics } from '../../observability/metrics.js';
import { BackgroundLoop } from '../../database/background-loop.js';
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
export class ChangesProjector extends BackgroundLoop {
  private client: ReturnType<DatabaseService['createClient']> | undefined;
  private mustRebuild = false;
  /** Says how far the feed is built; undefined once all changes are in it. */
  building: string | undefined;
  /** When everything that was committed was in the feed, on the monotonic clock. */
  private completeAt = performance.now();

  constructor(
    private readonly database: DatabaseService,
    metrics: Metrics,
  ) {
    super(new Logger('Changes'), 'The change feed is interrupted; retrying', retryMilliseconds);
    // A feed that is not followed yet has no lag: a number would raise the alarm after an ordinary restore.
    const isBuilding = () => this.client === undefined || (this.building !== undefined && !this.isInterrupted);
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

  override start(): void {
    if (this.signal.aborted) return;
    // Rebuilding a large feed takes longer than the time limit of requests. A second connection reads its progress.
    this.client = this.database.createClient({ appName: 'change-feed', socketTimeoutMS: 0, maxPoolSize: 2 });
    super.start();
  }

  override async onApplicationShutdown(): Promise<void> {
    const stopped = super.onApplicationShutdown();
    await this.client?.close();
    await stopped;
  }

  protected async work(): Promise<void> {
    if (this.client !== undefined) await this.follow(new ProjectionRepository(this.client));
  }

  protected override onError(error: unknown): void {
    if (error instanceof ChangesLost) this.mustRebuild = true;
    super.onError(error);
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
    if (stored !== null) await repository.deleteErased();
    const stream = repository.watch(stored ?? (await this.rebuild(repository)));
    this.mustRebuild = false;
    try {
      for (let savedAt = 0; !this.signal.aborted;) {
        const startedAt = performance.now();
        const { events, checkpoint, isDrained } = await repository.read(stream);
        if (events.length > 0 || startedAt - savedAt > idleMilliseconds) {
          await repository.write(events);
          await repository.saveCheckpoint(checkpoint);
          savedAt = startedAt;
        }
        if (this.isInterrupted) this.logger.log('The change feed continues');
        this.isInterrupted = false;
        if (!isDrained) continue;
        this.completeAt = startedAt;
        this.building = undefined;
        await pause(pauseMilliseconds, this.signal);
      }
    } finally {
      await stream.close();
    }
  }
}
