import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../config/clock.js';
import { recentLoginsStart } from './user.rules.js';
import { UsersRepository } from './users.repository.js';

const refreshMilliseconds = 10_000;
/** Other servers store a login shortly after its time. */
const overlapMilliseconds = 60_000;

/** The networks from which an admin logged in within 30 days. Logins on other servers are known after 10 s. */
@Injectable()
export class KnownNetworks {
  private readonly networks = new LRUCache<string, true>({ max: 100_000, ttl: 30 * 86_400_000 });
  private nextRefresh = 0;
  private readUntil: Date | undefined;

  constructor(
    private readonly users: UsersRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns whether a network (`addressGroup`) is known, from memory, and refreshes that in the background. */
  has(network: string): boolean {
    if (performance.now() >= this.nextRefresh) void this.refresh().catch(() => undefined);
    return this.networks.has(network);
  }

  private async refresh(): Promise<void> {
    this.nextRefresh = performance.now() + refreshMilliseconds;
    const until = new Date(this.clock.now().getTime() - overlapMilliseconds);
    const found = await this.users.findLoginNetworks(this.readUntil ?? recentLoginsStart(until));
    for (const network of found) this.networks.set(network, true);
    this.readUntil = until;
  }
}
