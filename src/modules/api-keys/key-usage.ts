import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { BatchedWriter } from '../../database/batched-writer.js';
import { ApiKeysRepository, type KeyUse } from './api-keys.repository.js';

/** Collects when keys were used and stores it about once a minute, with the removal of outdated secrets, if a key was used. */
@Injectable()
export class KeyUsage extends BatchedWriter<KeyUse> {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {
    super('The last use of API keys', 60_000);
  }

  record(keyId: string, isPreviousSecret: boolean, address: string): void {
    const use = { keyId, at: this.clock.now(), address, isPreviousSecret };
    this.pending.set(isPreviousSecret ? `${keyId} previous` : keyId, use);
  }

  protected async store(uses: ReadonlyMap<string, KeyUse>): Promise<void> {
    await this.keys.updateLastUsed([...uses.values()]);
    await this.keys.removePreviousSecrets(this.clock.now());
  }
}
