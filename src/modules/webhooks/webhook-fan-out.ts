import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { RecordId } from '../../database/record.js';
import { recordIdOf } from '../changes/change.schema.js';
import { ChangesProjector } from '../changes/changes.projector.js';
import { ChangesRepository } from '../changes/changes.repository.js';
import type { MovedRow } from '../changes/projection.repository.js';
import type { WebhookDeliveryRecord } from './webhook-delivery.schema.js';
import type { WebhookEvent } from './webhook-endpoint.schema.js';
import { deliveryIdOf, WebhookQueueRepository } from './webhook-queue.repository.js';

/** Something that happened. */
interface OccurredEvent {
  /** Names the event, the same on every server. */
  readonly id: string;
  readonly type: WebhookEvent;
  readonly at: Date;
  readonly data: object;
}

/** Creates the delivery of an event to an endpoint. */
export function toDelivery(
  endpoint: { readonly _id: RecordId; readonly organizationId: RecordId },
  { id, type, at, data }: OccurredEvent,
): WebhookDeliveryRecord {
  return {
    _id: deliveryIdOf(endpoint._id, id),
    organizationId: endpoint.organizationId,
    endpointId: endpoint._id,
    event: type,
    status: 'pending',
    attempts: [],
    nextAttemptAt: at,
    body: JSON.stringify({ type, timestamp: at.toISOString(), data }),
    createdAt: at,
    updatedAt: at,
  };
}

/** Turns changes into deliveries to the endpoints that subscribe to them. Every server does so, with the same IDs. */
@Injectable()
export class WebhookFanOut implements OnModuleInit {
  constructor(
    private readonly projector: ChangesProjector,
    private readonly changes: ChangesRepository,
    private readonly queue: WebhookQueueRepository,
  ) {}

  onModuleInit(): void {
    this.projector.onChanges((rows) => this.record(rows));
  }

  private async record(rows: readonly MovedRow[]): Promise<void> {
    const endpoints = await this.queue.findSubscribers();
    const organizationIds = [...new Set(endpoints.map(({ organizationId }) => String(organizationId)))];
    if (organizationIds.length === 0) return;
    // A deleted schedule is one event.
    const changed = rows.filter(({ kind, expiresAt }) => kind !== 'season' && !(kind === 'playerStatistics' && expiresAt));
    const records = await this.changes.findRecords(organizationIds, changed);
    const deliveries = changed.flatMap((row) => {
      const found = records.get(row._id);
      if (found === undefined) return [];
      const { organizationId, externalId, teamId, revision } = found.response;
      const { kind, position, changedAt, expiresAt } = row;
      const type = eventOf(row);
      const data = { kind, id: recordIdOf(row), externalId, teamId, ...(kind !== 'playerStatistics' && { revision }), deleted: expiresAt !== undefined };
      return endpoints
        .filter((endpoint) => String(endpoint.organizationId) === organizationId)
        .filter(({ events }) => events?.includes(type) ?? true)
        .map((endpoint) => toDelivery(endpoint, { id: position, type, at: changedAt, data }));
    });
    await this.queue.enqueue(deliveries);
  }
}

function eventOf({ kind, organizationId, expiresAt }: MovedRow): WebhookEvent {
  if (kind === 'playerStatistics') return 'player-statistics.updated';
  const action = expiresAt !== undefined ? 'deleted' : organizationId !== undefined ? 'created' : 'updated';
  return `${kind}.${action}` as WebhookEvent;
}
