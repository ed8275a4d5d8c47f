import { Logger, type OnModuleInit } from '@nestjs/common';
import { BackgroundLoop } from './background-loop.js';

/**
 * Collects the latest value of each key and stores them in batches, so that no request waits for the write. A failed
 * batch is stored again, so storing a value twice must have the same effect as storing it once.
 */
export abstract class BatchedWriter<T> extends BackgroundLoop implements OnModuleInit {
  /** The values to store. A later one of the same key replaces an earlier one. */
  protected pending = new Map<string, T>();
  private writing: Promise<void> = Promise.resolve();
  private hasFailed = false;

  /** @param what names the values in the log */
  constructor(what: string, intervalMilliseconds: number) {
    super(new Logger(new.target.name), `${what} could not be stored`, intervalMilliseconds);
  }

  protected abstract store(values: ReadonlyMap<string, T>): Promise<void>;

  onModuleInit(): void {
    this.start();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await this.flush();
  }

  /** Stores the collected values after earlier writes. Never rejects: failed values are kept for the next flush. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  protected work(): Promise<void> {
    return this.flush();
  }

  private async write(): Promise<void> {
    const values = this.pending;
    if (values.size === 0) return;
    this.pending = new Map();
    try {
      await this.store(values);
      this.hasFailed = false;
    } catch (error) {
      this.pending = new Map([...values, ...this.pending]);
      // Once for an outage, and at a stop, when the values may be lost.
      if (!this.hasFailed || this.signal.aborted) this.logger.warn(`${this.failure}: ${(error as Error).message}`);
      this.hasFailed = true;
    }
  }
}
