import { Injectable } from '@nestjs/common';
import { Metrics } from '../../common/metrics/metrics.js';
import { ChangeStreamService } from '../../database/change-stream.service.js';
import { DatabaseService } from '../../database/database.service.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';

const startSteps = ['the indexes', 'the first super admin'] as const;
export type StartStep = (typeof startSteps)[number];

/** Knows whether requests may be sent to this server. */
@Injectable()
export class Readiness {
  private state: 'starting' | 'started' | 'stopping' = 'starting';
  private readonly pending = new Set<StartStep>(startSteps);

  constructor(
    private readonly database: DatabaseService,
    private readonly counter: HitCounter,
    private readonly changes: ChangeStreamService,
    metrics: Metrics,
  ) {
    metrics.registerGauges({ ffapi_ready: async () => (await this.obstacles()).length === 0 });
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

  /** Returns why requests may not be sent here; nothing if they may. */
  async obstacles(): Promise<string[]> {
    const isReachable = this.state === 'stopping' || (await this.database.isReachable());
    const waiting = this.pending.size > 0 ? `: waiting for ${[...this.pending].join(' and ')}` : '';
    const own = { starting: [`The server is starting${waiting}`], started: [], stopping: ['The server is stopping'] };
    return [...(isReachable ? [] : ['The database cannot be reached']), ...own[this.state]];
  }

  /** Returns what does not work as well as it could, although requests are answered. */
  async degraded(): Promise<string[]> {
    const isRedisAway = (await this.counter.redisState()) === 'down';
    const isFollowing = this.changes.failureReason === undefined;
    return [
      ...(isRedisAway ? ['Redis does not answer: requests are counted in this process'] : []),
      ...(isFollowing ? [] : ['The changes of keys cannot be followed: each request reads its key']),
    ];
  }
}
