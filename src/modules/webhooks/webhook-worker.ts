import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { deliveryTurn, endpointLease } from '../../config/time-windows.js';
import { unconditional } from '../../access/request-context.js';
import { Metrics } from '../../observability/metrics.js';
import { BackgroundLoop } from '../../database/background-loop.js';
import { DatabaseService } from '../../database/database.service.js';
import { type FieldChanges, type RecordId, toRecordId } from '../../database/record.js';
import type { Session } from '../../database/transaction.js';
import { HitCounter } from '../../rate-limit/hit-counter.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { WebhookEndpointRecord } from './webhook-endpoint.schema.js';
import { WebhookFeed } from './webhook-feed.js';
import { type LeasedEndpoint, type NextDelivery, WebhookQueueRepository } from './webhook-queue.repository.js';
import { WebhookSender } from './webhook-sender.js';
import { afterAttempt, type Outcome } from './webhook.rules.js';
import { WebhooksService } from './webhooks.service.js';

/** How many endpoints one server delivers to concurrently. */
const maxEndpoints = 100;
/** Pause between two searches for due deliveries, in milliseconds. */
const pollMilliseconds = 100;
/** How long an endpoint waits if its organization is disabled. */
const unservedMilliseconds = 60_000;
const hourInSeconds = 3_600;
const shutdownMilliseconds = 5_000;

const server = { system: 'server', ...unconditional } as const;

/** Sends due deliveries: one request at a time to an endpoint, in all servers. */
@Injectable()
export class WebhookWorker extends BackgroundLoop {
  private readonly running = new Map<LeasedEndpoint, Promise<void>>();
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly queue: WebhookQueueRepository,
    private readonly sender: WebhookSender,
    private readonly feed: WebhookFeed,
    private readonly webhooks: WebhooksService,
    private readonly organizations: OrganizationsService,
    private readonly hits: HitCounter,
    private readonly database: DatabaseService,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {
    super(new Logger('Webhooks'), 'Webhooks cannot be read; retrying', pollMilliseconds);
    metrics.registerGauges({
      ffapi_webhook_queue_age_seconds: async () => (await queue.findLongestWait()) / 1_000,
      ffapi_webhook_endpoints_disabled: () => queue.countDisabled(),
    });
  }

  override start(): void {
    if (this.configuration.webhooks.isWorker && !this.signal.aborted) super.start();
  }

  /** Starts no more deliveries, and waits up to 5 s for requests in flight. Other servers repeat those that take longer. */
  override onApplicationShutdown(): Promise<void> {
    return (this.stopped ??= this.drain());
  }

  private async drain(): Promise<void> {
    await super.onApplicationShutdown();
    await Promise.race([Promise.all(this.running.values()), sleep(shutdownMilliseconds, undefined, { ref: false })]);
  }

  protected async work(): Promise<void> {
    await this.feed.dispatch();
    for (let free = maxEndpoints - this.running.size; free > 0 && !this.signal.aborted; free--) {
      const startedAt = performance.now();
      const endpoint = await this.queue.claim(endpointLease, this.busyOrganizations());
      if (endpoint === null) return;
      this.track(endpoint, startedAt);
    }
  }

  /** Returns the organizations with as many endpoints in delivery as are free, which leaves room for others. */
  private busyOrganizations(): RecordId[] {
    const free = maxEndpoints - this.running.size;
    const leased = Map.groupBy(this.running.keys(), ({ organizationId }) => String(organizationId));
    return [...leased].filter(([, endpoints]) => endpoints.length >= free).map(([id]) => toRecordId(id));
  }

  private track(endpoint: LeasedEndpoint, startedAt: number): void {
    const running = this.feed
      .read(endpoint, (session) => this.deliverTo(endpoint, startedAt, session))
      .catch((error: unknown) => {
        const { message: reason } = error as Error;
        this.logger.warn('Deliveries to an endpoint were interrupted; they go on when its lease ends', { reason });
      })
      .finally(() => this.running.delete(endpoint));
    this.running.set(endpoint, running);
  }

  /** Sends deliveries to an endpoint, ends its lease with what they changed, and disables it if they say so. */
  private async deliverTo(leased: LeasedEndpoint, startedAt: number, session: Session): Promise<void> {
    // By the clock of the database, as the lease is: that of this server can be wrong.
    const leasedAt = leased.leasedUntil.getTime() - endpointLease;
    const now = (plus = 0) => new Date(leasedAt + performance.now() - startedAt + plus);
    const isServed = await this.organizations.isInService(String(leased.organizationId));
    if (!isServed) return this.queue.release(leased, { dueAt: now(), pausedUntil: now(unservedMilliseconds) });
    const { changes, disabledReason } = await this.sendAll(leased, now, session);
    await this.queue.release(leased, changes);
    if (disabledReason) await this.webhooks.setEnabled(server, String(leased._id), false, disabledReason);
  }

  /** Sends deliveries until none is left, the endpoint must pause, the lease is lost or the time is over. */
  private async sendAll(leased: LeasedEndpoint, now: (plus?: number) => Date, session: Session) {
    const end = now(deliveryTurn);
    const feed = this.feed.deliveriesTo(leased, now(), session);
    let next = await feed.next();
    let endpoint: LeasedEndpoint | null = leased;
    let { position } = leased;
    let outcome: Outcome | undefined;
    let limit: FieldChanges<WebhookEndpointRecord> = { limitedUntil: null };
    const mustStop = () => this.signal.aborted || now() > end || now() < (outcome?.endpoint.pausedUntil ?? 0);
    while (endpoint !== null && !next.done && !mustStop()) {
      if ('body' in next.value) {
        const { hits, secondsLeft } = await this.hits.hit('webhooks', String(leased.organizationId), hourInSeconds);
        if (hits > this.configuration.webhooks.deliveriesPerHour) {
          const limitedUntil = now(secondsLeft * 1_000);
          limit = { pausedUntil: limitedUntil, limitedUntil };
          break;
        }
        outcome = await this.attempt(endpoint, next.value, now, outcome);
      }
      position = next.value.position ?? position;
      const before: LeasedEndpoint = endpoint;
      [next, endpoint] = await Promise.all([feed.next(), this.queue.findLeased(leased)]);
      // It was enabled again during the attempt, which must not restore its failures.
      if (endpoint !== null && before.failingSince && !endpoint.failingSince) outcome = undefined;
    }
    const waiting = next.done ? (await this.queue.findPending(leased, 1))[0]?.nextAttemptAt : now();
    // Not in the past, so that an endpoint with recovered deliveries takes its turn.
    const dueAt = waiting ? new Date(Math.max(waiting.getTime(), now().getTime())) : null;
    const changes = { ...outcome?.endpoint, ...limit, dueAt, position: next.done ? next.value : position };
    return { changes, disabledReason: endpoint === null ? undefined : outcome?.disabledReason };
  }

  private async attempt(endpoint: LeasedEndpoint, delivery: NextDelivery, now: () => Date, previous?: Outcome) {
    const result = await this.sender.send(endpoint, delivery);
    // Until the lease ends, the endpoint is stored as it was before its attempts.
    const { failingSince } = previous?.endpoint ?? endpoint;
    const outcome = afterAttempt(failingSince ?? undefined, delivery.attempts, result, now(), Math.random());
    const { status } = outcome.delivery;
    // Otherwise a delivery that has succeeded would be sent again after a failover.
    await this.database.retryUntilReachable(() => this.queue.store(delivery, outcome.delivery));
    // The endpoint works again.
    if (failingSince && status === 'succeeded') await this.queue.sendWaiting(endpoint);
    this.metrics.countWebhookAttempt(status === 'pending' ? 'failed_retrying' : status);
    return outcome;
  }
}
