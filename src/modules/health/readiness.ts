import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Metrics } from '../../observability/metrics.js';
import { ClockOffset } from '../../database/clock-offset.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import { DatabaseService } from '../../database/database.service.js';
import { ChangesProjector } from '../changes/changes.projector.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';

const startSteps = ['the indexes and migrations', 'the first super admin'] as const;
type StartStep = (typeof startSteps)[number];

/** Reports whether this server can serve requests. */
@Injectable()
export class Readiness {
  private state: 'starting' | 'started' | 'stopping' = 'starting';
  private readonly pending = new Set<StartStep>(startSteps);
  /** Pings of the last 100 ms, so that any number of health checks costs ten per second. */
  private readonly reachable = new LRUCache<'database' | 'redis', boolean>({
    max: 2,
    ttl: 100,
    fetchMethod: async (name) =>
      name === 'database' ? this.database.isReachable() : (await this.counter.redisState()) !== 'down',
  });

  constructor(
    private readonly database: DatabaseService,
    private readonly counter: HitCounter,
    private readonly changeStream: ChangeStreamService,
    private readonly feed: ChangesProjector,
    private readonly clock: ClockOffset,
    metrics: Metrics,
  ) {
    metrics.registerGauges({ ffapi_ready: async () => (await this.notReadyReasons()).length === 0 });
  }

  get isStarted(): boolean {
    return this.state === 'started';
  }

  markDone(step: StartStep): void {
    this.pending.delete(step);
  }

  markStarted(): void {
    this.state = 'started';
  }

  markStopping(): void {
    this.state = 'stopping';
  }

  /** Returns why the server cannot serve requests, or an empty list if it can. */
  async notReadyReasons(): Promise<string[]> {
    if (this.state === 'stopping') return ['The server is stopping'];
    const isReachable = (await this.reachable.fetch('database')) === true;
    const { unavailable: why, indexInCreation: index } = this.database;
    const reasons = isReachable ? [] : [`The database is unreachable${why === undefined ? '' : ` (${why})`}`];
    const waiting = this.pending.size > 0 ? `: waiting for ${[...this.pending].join(', ')}` : '';
    if (this.state === 'starting') reasons.push(`The server is starting${waiting}`);
    if (isReachable && index !== undefined) reasons.push(`The index ${index} is being created`);
    return reasons;
  }

  /** Returns why the server is degraded although it serves requests. */
  async degradedReasons(): Promise<string[]> {
    const reasons: string[] = [];
    if ((await this.reachable.fetch('redis')) === false)
      reasons.push('Redis is unreachable: rate limits apply per server');
    if (this.changeStream.failureReason !== undefined)
      reasons.push('The change stream is unavailable: each request reads its API key from the database');
    if (this.clock.isWrong) reasons.push("This machine's clock and the database's differ by more than 2 s");
    if (this.feed.degradedReason !== undefined) reasons.push(this.feed.degradedReason);
    return reasons;
  }
}
