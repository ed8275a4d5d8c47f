import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const flushMilliseconds = 60_000;

/** Remembers when keys were used and writes it about once a minute, never with the request itself. */
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

  /** A key was used just now. */
  note(keyId: string): void {
    this.uses.set(keyId, this.clock.now());
  }

  /**
   * Writes what was noted until now, behind what is being written already; what cannot be written is kept for the
   * next time. Never rejects.
   */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  private async write(): Promise<void> {
    const uses = this.uses;
    if (uses.size === 0) return;
    this.uses = new Map();
    try {
      await this.keys.markUsed(uses);
    } catch (error) {
      this.uses = new Map([...uses, ...this.uses]);
      this.logger.warn(`When keys were last used could not be written: ${(error as Error).message}`);
    }
  }
}
