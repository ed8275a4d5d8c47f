import { Injectable } from '@nestjs/common';
import { type Tenant, unconditional } from '../../access/request-context.js';
import type { Session } from '../../database/transaction.js';
import { type Change, changeKinds, checkpointId, dispatchedId } from '../changes/change.schema.js';
import { ChangesRepository } from '../changes/changes.repository.js';
import { type LeasedEndpoint, type NextDelivery, WebhookQueueRepository } from './webhook-queue.repository.js';
import { bodyOf, latestOf, type PendingDelivery, toDeliveries } from './webhook.rules.js';

/** How many changes are dispatched together. */
const dispatchedRows = 2_000;
/** How many retries of an endpoint, and then events for it, are read together. */
const pageSize = 50;
const createdKinds = changeKinds.filter((kind) => kind !== 'playerStatistics');

/** Reads the events for endpoints from the change feed, in which each endpoint has a position. */
@Injectable()
export class WebhookFeed {
  constructor(
    private readonly changes: ChangesRepository,
    private readonly queue: WebhookQueueRepository,
  ) {}

  /** Makes the endpoints of organizations due that have changes after the dispatched position, which all servers share. */
  dispatch(): Promise<void> {
    return this.changes.readCausally(async (session) => {
      const [checkpoint, dispatched] = await Promise.all([
        this.changes.findState(checkpointId, session),
        this.changes.findState(dispatchedId, session),
      ]);
      if (!checkpoint) return;
      const { position: last, rebuilt } = checkpoint;
      const after = latestOf(dispatched?.position, rebuilt);
      if (last <= after) return;
      const rows = await this.changes.findLatest({ after, last, limit: dispatchedRows }, session);
      await this.queue.wake(rows, last);
      await this.changes.saveDispatched(rows[dispatchedRows - 1]?.position ?? last);
    });
  }

  /** Reads with one session, which sees at least the changes that have made the endpoint due, even after a failover. */
  read<T>({ dispatched }: LeasedEndpoint, work: (session: Session) => Promise<T>): Promise<T> {
    return this.changes.readCausally(work, dispatched);
  }

  /**
   * Yields due retries and new events in order, and after each page the position up to which the endpoint has got all.
   * Returns the last of these positions.
   */
  async *deliveriesTo(endpoint: LeasedEndpoint, now: Date, session: Session) {
    const [pending, checkpoint] = await Promise.all([
      this.queue.findPending(endpoint, pageSize),
      this.changes.findState(checkpointId, session),
    ]);
    const retries = pending.filter(({ nextAttemptAt = now }) => nextAttemptAt <= now);
    const retriesUntil = (time: Date) =>
      retries.splice(0, retries.filter(({ nextAttemptAt = now }) => nextAttemptAt <= time).length);
    const last = checkpoint?.position ?? '';
    for (let after = latestOf(endpoint.position ?? last, checkpoint?.rebuilt); after < last;) {
      const page = await this.readPage(endpoint, { after, last }, session);
      for (const delivery of page.deliveries) {
        // In the order in which they became due, so that an outage of seconds does not use up the early retries of one.
        for (const each of [...retriesUntil(delivery.createdAt), delivery]) yield this.withBody(each, session);
      }
      after = page.last;
      // Also after a page without events for the endpoint, so that a long stretch of others is not read again.
      yield { position: after };
    }
    for (const delivery of retries) yield this.withBody(delivery, session);
    return last;
  }

  /** Builds the body of a request from the current record, so that nothing of an erased record is sent. */
  private async withBody(delivery: PendingDelivery, session: Session): Promise<NextDelivery> {
    const [kind] = delivery.record.split('.');
    const row = { _id: delivery.record, kind: kind as Change['kind'] };
    const records = await this.changes.findRecords(tenantOf(delivery), [row], session);
    return { ...delivery, body: bodyOf(delivery, records.get(row._id)?.response) };
  }

  /** Returns the deliveries of a page of the feed, in order, and the last position of the page. */
  private async readPage(
    endpoint: LeasedEndpoint,
    { after, last: end }: { readonly after: string; readonly last: string },
    session: Session,
  ): Promise<{ readonly deliveries: PendingDelivery[]; readonly last: string }> {
    const tenant = tenantOf(endpoint);
    const range = { kinds: changeKinds, after, last: end, limit: pageSize };
    const [moved, created] = await Promise.all([
      this.changes.findRange(tenant, range, session),
      this.changes.findRange(tenant, { ...range, kinds: createdKinds, by: 'created' }, session),
    ]);
    const ends = [moved[pageSize - 1]?.position ?? end, created[pageSize - 1]?.created ?? end];
    const last = ends.sort()[0] ?? end;
    return { deliveries: toDeliveries(endpoint, [...created, ...moved], { after, last }), last };
  }
}

function tenantOf({ organizationId }: Pick<LeasedEndpoint, 'organizationId'>): Tenant {
  return { organization: { id: String(organizationId) }, ...unconditional };
}
