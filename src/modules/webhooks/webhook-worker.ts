import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Configuration } from '../../common/config/configuration.js';
import { Metrics } from '../../common/metrics/metrics.js';
import type { FieldChanges } from '../../database/record.js';
import type { WebhookEndpointRecord } from './webhook-endpoint.schema.js';
import { type LeasedEndpoint, WebhookQueueRepository } from './webhook-queue.repository.js';
import { WebhookSender } from './webhook-sender.js';
import { afterAttempt } from './webhook.rules.js';

/** How many endpoints one server delivers to at once. */
const maxEndpoints = 100;
/** Pause between two searches for due deliveries, in milliseconds. */
const pollMilliseconds = 100;
const retryMilliseconds = 1_000;
/** How long an endpoint is leased: longer than the last request may take after `deliverMilliseconds`. */
const leaseMilliseconds = 60_000;
const deliverMilliseconds = 30_000;

/** Sends due deliveries: one request at a time to an endpoint, in all servers. */
@Injectable()
export class WebhookWorker implements OnApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly shutdown = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly queue: WebhookQueueRepository,
    private readonly sender: WebhookSender,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  /** Starts to deliver, unless `WEBHOOK_WORKER=off`. */
  start(): void {
    if (this.configuration.webhooks.isWorker && !this.shutdown.signal.aborted) this.loop = this.run();
  }

  /** Waits for the requests in flight. */
  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.loop;
    await Promise.all(this.running);
  }

  private async run(): Promise<void> {
    while (!this.shutdown.signal.aborted) {
      try {
        const endpoint = this.running.size < maxEndpoints ? await this.claim() : null;
        if (endpoint === null) await this.pause(pollMilliseconds);
        else this.track(this.deliverTo(endpoint));
      } catch (error) {
        this.logger.warn('Webhooks cannot be read; retrying.', { reason: (error as Error).message });
        await this.pause(retryMilliseconds);
      }
    }
  }

  private claim(): Promise<LeasedEndpoint | null> {
    const now = this.clock.now();
    return this.queue.claim(now, new Date(now.getTime() + leaseMilliseconds));
  }

  private track(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => {
        this.logger.warn('A delivery is retried when its lease ends.', { reason: (error as Error).message });
      })
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }

  /** Sends the due deliveries of an endpoint until one fails, none is due or the time is over. */
  private async deliverTo(endpoint: LeasedEndpoint): Promise<void> {
    const startedAt = performance.now();
    let changes: FieldChanges<WebhookEndpointRecord> = {};
    let next = await this.queue.findNext(endpoint._id);
    while (next !== undefined && next.nextAttemptAt <= this.clock.now() && !this.shutdown.signal.aborted) {
      const result = await this.sender.send(endpoint, next);
      const outcome = afterAttempt(endpoint, next, result, this.clock.now(), Math.random());
      await this.queue.update(next._id, outcome.delivery);
      this.metrics.countWebhookAttempt(outcome.delivery.status === 'pending' ? 'retried' : outcome.delivery.status);
      changes = outcome.endpoint;
      const isSuccess = outcome.delivery.status === 'succeeded';
      if (isSuccess && endpoint.failures > 0) await this.queue.resume(endpoint._id, this.clock.now());
      if (isSuccess) Object.assign(endpoint, { failures: 0, failingSince: undefined });
      next = await this.queue.findNext(endpoint._id);
      if (!isSuccess || performance.now() - startedAt > deliverMilliseconds) break;
    }
    await this.queue.release(endpoint, next?.nextAttemptAt, { ...changes, leasedUntil: this.clock.now() });
  }

  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.shutdown.signal }).catch(() => undefined);
  }
}
