import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { ChangeStreamService } from '../database/change-stream.service.js';
import { DatabaseService } from '../database/database.service.js';
import { HitCounter } from '../rate-limit/hit-counter.js';

/** What a start makes, in this order, before it is over. */
const startSteps = ['the indexes', 'the first super admin'] as const;
export type StartStep = (typeof startSteps)[number];

/** Whether this server may be sent requests. */
@Injectable()
export class Readiness {
  private state: 'starting' | 'started' | 'stopping' = 'starting';
  private readonly toCome = new Set<StartStep>(startSteps);

  constructor(
    private readonly database: DatabaseService,
    private readonly counter: HitCounter,
    private readonly changes: ChangeStreamService,
    metrics: Metrics,
  ) {
    metrics.registerGauges({ ffapi_ready: async () => (await this.missing()).length === 0 });
  }

  /** A part of the start is done. */
  made(step: StartStep): void {
    this.toCome.delete(step);
  }

  /** True while requests are to be sent here, as far as it is this server's own affair. */
  get isStarted(): boolean {
    return this.state === 'started';
  }

  started(): void {
    this.state = 'started';
  }

  stopping(): void {
    this.state = 'stopping';
  }

  /** All that is in the way, in words; nothing where requests may come. Of a server that stops at once. */
  async missing(): Promise<string[]> {
    if (this.state === 'stopping') return ['The server is stopping'];
    const away = (await this.database.isReachable()) ? [] : ['The database cannot be reached'];
    // It may have begun to stop while the database was asked.
    if (this.isStopping()) return ['The server is stopping'];
    return this.state === 'starting' ? [...away, this.starting()] : away;
  }

  /** What does not work, although requests may come: they are answered, but not as well as they could be. */
  async degraded(): Promise<string[]> {
    const redis = (await this.counter.redisState()) === 'away';
    return [
      ...(redis ? ['Redis does not answer: requests are counted in this process'] : []),
      ...(this.changes.whyNotFollowing !== undefined
        ? ['The changes of keys cannot be followed: each request reads its key']
        : []),
    ];
  }

  private isStopping(): boolean {
    return this.state === 'stopping';
  }

  private starting(): string {
    const steps = [...this.toCome];
    return steps.length === 0
      ? 'The server is starting'
      : `The server is starting: it has yet to see to ${steps.join(' and ')}`;
  }
}
