import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { pause } from '../config/clock.js';

/** Work that every server repeats until it stops, also after an error. */
export abstract class BackgroundLoop implements OnApplicationShutdown {
  private readonly shutdown = new AbortController();
  private loop: Promise<void> | undefined;
  /** Whether the last work failed. */
  protected isInterrupted = false;

  /**
   * @param failure the log line if the work fails
   * @param pauseMilliseconds between the end of the work and its next start
   */
  protected constructor(
    protected readonly logger: Logger,
    protected readonly failure: string,
    private readonly pauseMilliseconds: number,
  ) {}

  protected abstract work(): Promise<unknown>;

  /** Aborted when the server stops. */
  protected get signal(): AbortSignal {
    return this.shutdown.signal;
  }

  start(): void {
    this.loop = this.repeat();
  }

  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.loop;
  }

  /** Logs the first error of an interruption, except of the shutdown. */
  protected onError(error: unknown): void {
    if (this.signal.aborted) return;
    if (!this.isInterrupted) this.logger.warn(this.failure, { reason: (error as Error).message });
    this.isInterrupted = true;
  }

  private async repeat(): Promise<void> {
    while (!this.signal.aborted) {
      await this.work().then(
        () => (this.isInterrupted = false),
        (error: unknown) => this.onError(error),
      );
      await pause(this.pauseMilliseconds, this.signal);
    }
  }
}
