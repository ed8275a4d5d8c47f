import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../config/clock.js';
import { recentLoginsStart } from './user.rules.js';
import { UsersRepository } from './users.repository.js';

const refreshMilliseconds = 1_000;

/** The networks from which an admin logged in within 30 days. Logins are known after a second. */
@Injectable()
export class KnownNetworks {
  private readonly networks = new LRUCache<string, true>({ max: 100_000, ttl: 30 * 86_400_000 });
  private refreshAt = 0;
  private since: Date | undefined;

  constructor(
    private readonly users: UsersRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns whether a network (`addressGroup`) is known, from memory, and refreshes that in the background. */
  has(network: string): boolean {
    if (performance.now() >= this.refreshAt) void this.refresh().catch(() => undefined);
    return this.networks.has(network);
  }

  private async refresh(): Promise<void> {
    this.refreshAt = performance.now() + refreshMilliseconds;
    const now = this.clock.now();
    const found = await this.users.findLoginNetworks(this.since ?? recentLoginsStart(now));
    for (const network of found) this.networks.set(network, true);
    this.since = new Date(now.getTime() - 60_000); // other servers store a login shortly after its time
  }
}
