import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Configuration } from '../../common/config/configuration.js';
import { unconditional } from '../../common/context/request-context.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { DatabaseService } from '../../database/database.service.js';
import { type LeasedEndpoint, WebhookQueueRepository } from './webhook-queue.repository.js';
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
/** How long a process can take to end after that. */
const endMilliseconds = 2_000;

const server = { system: 'server', ...unconditional } as const;

/** Sends due deliveries: one request at a time to an endpoint, in all servers. */
@Injectable()
export class WebhookWorker implements OnApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly shutdown = new AbortController();
  private readonly running = new Map<LeasedEndpoint, Promise<void>>();
  private loop: Promise<void> | undefined;

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

  /** Waits up to 5 s for requests in flight. Other servers repeat those that take longer. */
  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.loop;
    await Promise.race([Promise.all(this.running.values()), sleep(shutdownMilliseconds, undefined, { ref: false })]);
    const leasedUntil = this.later(endMilliseconds);
    const slow = [...this.running.keys()];
    await Promise.allSettled(slow.map((endpoint) => this.queue.release(endpoint, leasedUntil, { leasedUntil })));
  }

  private async run(): Promise<void> {
    while (!this.shutdown.signal.aborted) {
      try {
        const mayStart = this.running.size < maxEndpoints;
        const endpoint = mayStart ? await this.queue.claim(this.clock.now(), this.later(leaseMilliseconds)) : null;
        if (endpoint === null) await this.pause(pollMilliseconds);
        else this.track(endpoint);
      } catch (error) {
        this.logger.warn('Webhooks cannot be read; retrying.', { reason: (error as Error).message });
        await this.pause(retryMilliseconds);
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

  /** Sends the due deliveries of an endpoint until one fails, none is due or the time is over. */
  private async deliverTo(endpoint: LeasedEndpoint): Promise<void> {
    const endsAt = performance.now() + deliverMilliseconds;
    let outcome: Outcome | undefined;
    for (;;) {
      const next = await this.queue.findNext(endpoint);
      const isOver = this.shutdown.signal.aborted || performance.now() > endsAt;
      const hasFailed = outcome !== undefined && outcome.delivery.status !== 'succeeded';
      if (isOver || hasFailed || next === undefined || next.nextAttemptAt > this.clock.now()) {
        await this.queue.release(endpoint, next?.nextAttemptAt, {
          ...outcome?.endpoint,
          leasedUntil: this.clock.now(),
        });
        break;
      }
      const result = await this.sender.send(endpoint, next);
      outcome = afterAttempt(endpoint.failingSince, next.attempts, result, this.clock.now(), Math.random());
      const { delivery } = outcome;
      // Otherwise a delivery that has succeeded would be sent again after a failover.
      await this.database.retryUntilReachable(() => this.queue.update(next, delivery));
      const { status } = delivery;
      this.metrics.countWebhookAttempt(status === 'pending' ? 'retried' : status);
    }
    const { disabledReason } = outcome ?? {};
    if (disabledReason) await this.webhooks.toggle(server, String(endpoint._id), false, disabledReason);
  }

  /** Returns for how long the oldest due delivery to an endpoint that is not paused has been waiting. */
  private async oldestPendingSeconds(): Promise<number> {
    const dueAt = await this.queue.findEarliestDue(this.clock.now());
    return dueAt === undefined ? 0 : Math.max(0, this.clock.now().getTime() - dueAt.getTime()) / 1_000;
  }

  private later(milliseconds: number): Date {
    return new Date(this.clock.now().getTime() + milliseconds);
  }

  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.shutdown.signal }).catch(() => undefined);
  }
}
