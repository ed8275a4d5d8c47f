import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const flushMilliseconds = 60_000;

/** Collects when keys were used and stores it about once a minute, so that requests do not wait for the write. */
@Injectable()
export class KeyUsage implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('KeyUsage');
  private uses = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), flushMilliseconds).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  record(keyId: string): void {
    this.uses.set(keyId, this.clock.now());
  }

  /** Stores the recorded uses after earlier writes. Never rejects: failed uses are kept for the next flush. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  private async write(): Promise<void> {
    const uses = this.uses;
    if (uses.size === 0) return;
    this.uses = new Map();
    try {
      await this.keys.updateLastUsed(uses);
    } catch (error) {
      this.uses = new Map([...uses, ...this.uses]);
      this.logger.warn(`The last use of API keys could not be stored: ${(error as Error).message}`);
    }
  }
}
