import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, pause } from '../../common/clock.js';
import { Configuration } from '../../common/config/configuration.js';
import { unconditional } from '../../common/context/request-context.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { DatabaseService } from '../../database/database.service.js';
import { type LeasedEndpoint, type NextDelivery, WebhookQueueRepository } from './webhook-queue.repository.js';
import { WebhookSender } from './webhook-sender.js';
import { afterAttempt, type Outcome } from './webhook.rules.js';
import { WebhooksService } from './webhooks.service.js';

/** How many endpoints one server delivers to at once. */
const maxEndpoints = 100;
/** Pause between two searches for due deliveries, in milliseconds. */
const pollMilliseconds = 100;
const retryMilliseconds = 1_000;
/** How long an endpoint is leased: longer than the last request may take after `deliverMilliseconds`. */
const leaseMilliseconds = 30_000;
const deliverMilliseconds = 5_000;
const shutdownMilliseconds = 5_000;
/** How long this process may take to exit after `shutdownMilliseconds`. */
const exitMilliseconds = 2_000;

const server = { system: 'server', ...unconditional } as const;

/** Sends due deliveries: one request at a time to an endpoint, in all servers. */
@Injectable()
export class WebhookWorker implements OnApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly shutdown = new AbortController();
  private readonly running = new Map<LeasedEndpoint, Promise<void>>();
  private loop: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private isInterrupted = false;

  constructor(
    private readonly queue: WebhookQueueRepository,
    private readonly sender: WebhookSender,
    private readonly webhooks: WebhooksService,
    private readonly database: DatabaseService,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {
    metrics.registerGauges({
      ffapi_webhook_oldest_pending_seconds: () => this.oldestPendingSeconds(),
      ffapi_webhook_endpoints_disabled: () => queue.countDisabled(),
    });
  }

  /** Starts to deliver, unless `WEBHOOK_WORKER=off`. */
  start(): void {
    if (this.configuration.webhooks.isWorker && !this.shutdown.signal.aborted) this.loop = this.run();
  }

  /** Starts no more deliveries, and waits up to 5 s for requests in flight. */
  stop(): Promise<void> {
    return (this.stopped ??= this.drain());
  }

  /** Leaves the endpoints whose requests are still in flight to other servers, which repeat these requests. */
  async onApplicationShutdown(): Promise<void> {
    await this.stop();
    const leasedUntil = this.later(exitMilliseconds);
    const slow = [...this.running.keys()];
    await Promise.allSettled(slow.map((endpoint) => this.queue.release(endpoint, leasedUntil, { leasedUntil })));
  }

  private async drain(): Promise<void> {
    this.shutdown.abort();
    await this.loop;
    await Promise.race([Promise.all(this.running.values()), sleep(shutdownMilliseconds, undefined, { ref: false })]);
  }

  private async run(): Promise<void> {
    while (!this.shutdown.signal.aborted) {
      try {
        const mayStart = this.running.size < maxEndpoints;
        const endpoint = mayStart ? await this.queue.claim(this.clock.now(), this.later(leaseMilliseconds)) : null;
        this.isInterrupted = false;
        if (endpoint === null) await pause(pollMilliseconds, this.shutdown.signal);
        else this.track(endpoint);
      } catch (error) {
        const reason = (error as Error).message;
        if (!this.isInterrupted) this.logger.warn('Webhooks cannot be read; retrying.', { reason });
        this.isInterrupted = true;
        await pause(retryMilliseconds, this.shutdown.signal);
      }
    }
  }

  private track(endpoint: LeasedEndpoint): void {
    const running = this.deliverTo(endpoint)
      .catch((error: unknown) => this.onInterruption(endpoint, error as Error))
      .finally(() => this.running.delete(endpoint));
    this.running.set(endpoint, running);
  }

  /** Ends the lease once the database is reachable, so that the endpoint does not wait for the end of the lease. */
  private onInterruption(endpoint: LeasedEndpoint, { message: reason }: Error): Promise<void> {
    this.logger.warn('Deliveries to an endpoint were interrupted; retrying.', { reason });
    const release = () => this.queue.release(endpoint, this.clock.now(), { leasedUntil: this.clock.now() });
    return this.database.retryUntilReachable(release, () => true);
  }

  /** Sends the due deliveries of an endpoint until one fails, none is due, the lease is lost or the time is over. */
  private async deliverTo(leased: LeasedEndpoint): Promise<void> {
    const endsAt = performance.now() + deliverMilliseconds;
    let endpoint = leased;
    let outcome: Outcome | undefined;
    for (;;) {
      const [current, next] = await Promise.all([
        outcome ? this.queue.findLeased(leased) : leased,
        this.queue.findNext(leased),
      ]);
      // It was enabled again during the attempt, which must not restore its failures.
      if (current !== null && endpoint.failingSince && !current.failingSince) outcome = undefined;
      const now = this.clock.now();
      const isOver = this.shutdown.signal.aborted || performance.now() > endsAt;
      const hasFailed = outcome !== undefined && outcome.delivery.status !== 'succeeded';
      if (current === null || isOver || hasFailed || next === undefined || next.nextAttemptAt > now) {
        // A delivery that is already due makes the endpoint due from now, so that endpoints take turns.
        const dueAt = next && (next.nextAttemptAt > now ? next.nextAttemptAt : now);
        await this.queue.release(leased, dueAt, { ...outcome?.endpoint, leasedUntil: now });
        const reason = current && outcome?.disabledReason;
        if (reason) await this.webhooks.setEnabled(server, String(leased._id), false, reason);
        return;
      }
      endpoint = current;
      // The endpoint still has the failures that a success within this lease has ended.
      outcome = await this.attempt(endpoint, next, outcome === undefined ? endpoint.failingSince : undefined);
    }
  }

  private async attempt(endpoint: LeasedEndpoint, next: NextDelivery, failingSince?: Date): Promise<Outcome> {
    const result = await this.sender.send(endpoint, next);
    const outcome = afterAttempt(failingSince, next.attempts, result, this.clock.now(), Math.random());
    const { delivery } = outcome;
    // Otherwise a delivery that has succeeded would be sent again after a failover.
    await this.database.retryUntilReachable(() => this.queue.update(next, delivery));
    this.metrics.countWebhookAttempt(delivery.status === 'pending' ? 'retried' : delivery.status);
    return outcome;
  }

  /** Returns for how long a due endpoint that is neither paused nor leased has been waiting, at most. */
  private async oldestPendingSeconds(): Promise<number> {
    const dueAt = await this.queue.findEarliestDue(this.clock.now());
    return dueAt === undefined ? 0 : Math.max(0, this.clock.now().getTime() - dueAt.getTime()) / 1_000;
  }

  private later(milliseconds: number): Date {
    return new Date(this.clock.now().getTime() + milliseconds);
  }
}
