import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

/**
 * Collects the latest value of each key and stores them in batches, so that no request waits for the write. A failed
 * batch is stored again, so storing a value twice must have the same effect as storing it once.
 */
export abstract class BatchedWriter<T> implements OnModuleInit, OnApplicationShutdown {
  private readonly logger: Logger;
  private pending = new Map<string, T>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  /** @param what names the values in the log */
  constructor(
    private readonly what: string,
    private readonly intervalMilliseconds: number,
  ) {
    this.logger = new Logger(new.target.name);
  }

  protected abstract store(values: ReadonlyMap<string, T>): Promise<void>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), this.intervalMilliseconds).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Stores the collected values after earlier writes. Never rejects: failed values are kept for the next flush. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  /** Collects a value. It replaces an earlier one of the same key. */
  protected collect(key: string, value: T): void {
    this.pending.set(key, value);
  }

  private async write(): Promise<void> {
    const values = this.pending;
    if (values.size === 0) return;
    this.pending = new Map();
    try {
      await this.store(values);
    } catch (error) {
      this.pending = new Map([...values, ...this.pending]);
      this.logger.warn(`${this.what} could not be stored: ${(error as Error).message}`);
    }
  }
}
