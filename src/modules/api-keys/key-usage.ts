import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { BatchedWriter } from '../../database/batched-writer.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Collects when keys were used and stores it about once a minute. */
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

  protected store(uses: ReadonlyMap<string, Date>): Promise<void> {
    return this.keys.updateLastUsed(uses);
  }
}
