import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { BatchedWriter } from '../../database/batched-writer.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Collects when keys were used and stores it about once a minute, with the removal of outdated secrets. */
@Injectable()
export class KeyUsage extends BatchedWriter<Date> {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {
    super('The last use of API keys', 60_000);
  }

  record(keyId: string): void {
    this.collect(keyId, this.clock.now());
  }

  protected async store(uses: ReadonlyMap<string, Date>): Promise<void> {
    await this.keys.updateLastUsed(uses);
    await this.keys.removePreviousSecrets(this.clock.now());
  }
}
