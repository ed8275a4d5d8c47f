import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Session } from '../../database/transaction.js';
import { recordIdOf, type RecordResponse } from '../changes/change.schema.js';
import { ChangesProjector } from '../changes/changes.projector.js';
import { ChangesRepository } from '../changes/changes.repository.js';
import type { MovedRow } from '../changes/projection.repository.js';
import type { WebhookDeliveryRecord, WebhookEvent } from './webhook-delivery.schema.js';
import { type Subscriber, WebhookQueueRepository } from './webhook-queue.repository.js';
import { type OccurredEvent, toDelivery } from './webhook.rules.js';

/** Turns changes into deliveries to the endpoints that subscribe to them. Every server does so, with the same IDs. */
@Injectable()
export class WebhookFanOut implements OnModuleInit {
  constructor(
    private readonly projector: ChangesProjector,
    private readonly changes: ChangesRepository,
    private readonly queue: WebhookQueueRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.projector.onChanges((rows) => this.addDeliveries(rows));
  }

  private async addDeliveries(rows: readonly MovedRow[]): Promise<void> {
    const changed = rows.filter(hasEvent);
    const last = changed.at(-1);
    if (last === undefined) return;
    // After a failover, the new primary must not miss an endpoint or a record that has just been created.
    const read = (session: Session) => this.findDeliveries(changed, session);
    await this.queue.add(await this.changes.readCausally(read, last.position));
  }

  private async findDeliveries(changed: readonly MovedRow[], session: Session): Promise<WebhookDeliveryRecord[]> {
    const now = this.clock.now();
    const byOrganization = new Map<string, Subscriber[]>();
    for (const subscriber of await this.queue.findSubscribers(session)) {
      const id = String(subscriber.organizationId);
      byOrganization.set(id, [...(byOrganization.get(id) ?? []), subscriber]); // at most ten
    }
    if (byOrganization.size === 0) return [];
    const records = await this.changes.findRecords([...byOrganization.keys()], changed, session);
    return changed.flatMap((row) => {
      const record = records.get(row._id)?.response;
      if (record === undefined) return [];
      const event = eventOf(row, record);
      return (byOrganization.get(record.organizationId ?? '') ?? [])
        .filter(({ events }) => events?.includes(event.type) ?? true)
        .map((subscriber) => toDelivery(subscriber, event, now));
    });
  }
}

/** Partners do not create seasons, and the deletion of a schedule with statistics is one event. */
function hasEvent({ kind, expiresAt }: MovedRow): boolean {
  return kind !== 'season' && (kind !== 'playerStatistics' || expiresAt === undefined);
}

function eventOf(
  row: MovedRow,
  { externalId, teamId, revision }: RecordResponse,
): OccurredEvent & { readonly type: WebhookEvent } {
  const { kind, position, changedAt, organizationId, expiresAt } = row;
  const deleted = expiresAt !== undefined;
  const record = { kind, id: recordIdOf(row), externalId, teamId };
  const event = { id: position, at: changedAt };
  if (kind === 'playerStatistics') return { ...event, type: 'player-statistics.updated', data: { ...record, deleted } };
  // Only the row of an insertion has an organization.
  const action = deleted ? 'deleted' : organizationId === undefined ? 'updated' : 'created';
  return { ...event, type: `${kind}.${action}` as WebhookEvent, data: { ...record, revision, deleted } };
}
