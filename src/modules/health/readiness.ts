import { Injectable } from '@nestjs/common';
import { Metrics } from '../../common/metrics/metrics.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import { DatabaseService } from '../../database/database.service.js';
import { ChangesProjector } from '../changes/changes.projector.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';

const startSteps = ['the indexes', 'the first super admin'] as const;
type StartStep = (typeof startSteps)[number];

/** Reports whether this server can serve requests. */
@Injectable()
export class Readiness {
  private state: 'starting' | 'started' | 'stopping' = 'starting';
  private readonly pending = new Set<StartStep>(startSteps);

  constructor(
    private readonly database: DatabaseService,
    private readonly counter: HitCounter,
    private readonly changes: ChangeStreamService,
    private readonly feed: ChangesProjector,
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
    const reasons = (await this.database.isReachable()) ? [] : ['The database is unreachable'];
    const waiting = this.pending.size > 0 ? `: waiting for ${[...this.pending].join(' and ')}` : '';
    if (this.state === 'starting') reasons.push(`The server is starting${waiting}`);
    return reasons;
  }

  /** Returns why the server is degraded although it serves requests. */
  async degradedReasons(): Promise<string[]> {
    const reasons: string[] = [];
    if ((await this.counter.redisState()) === 'down')
      reasons.push('Redis is unreachable: rate limits apply per server');
    if (this.changes.failureReason !== undefined)
      reasons.push('The change stream is unavailable: each request reads its API key from the database');
    if (this.feed.degradedReason !== undefined) reasons.push(this.feed.degradedReason);
    return reasons;
  }
}
