import { hash } from 'node:crypto';
import { type FieldChanges, type RecordId, toRecordId } from '../../database/record.js';
import type { DeliveryAttempt, WebhookDeliveryRecord, WebhookEvent } from './webhook-delivery.schema.js';
import type { DisabledReason, WebhookEndpointRecord } from './webhook-endpoint.schema.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The pauses between the attempts of a delivery, as Standard Webhooks recommends: https://www.standardwebhooks.com. */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];
const minPause = 5 * second;
const maxPause = 30 * minute;
const maxRetryAfter = day;
/** How many attempts of a delivery are kept: a partner can retry it at any time. */
const maxAttempts = 50;
/** An endpoint is disabled after failing for this long without a success. */
const maxFailing = 5 * day;

/** An event before it has deliveries. */
export interface OccurredEvent {
  /** Identifies the event; the same on every server. */
  readonly id: string;
  readonly type: WebhookEvent | 'ping';
  readonly at: Date;
  readonly data: object;
}

/** An attempt, and the pause that the endpoint asked for with `Retry-After`, in milliseconds. */
export interface AttemptResult {
  readonly attempt: DeliveryAttempt;
  readonly retryAfter?: number | undefined;
}

/** What an attempt changes. */
export interface Outcome {
  readonly delivery: FieldChanges<WebhookDeliveryRecord> & Pick<WebhookDeliveryRecord, 'status'>;
  readonly endpoint: FieldChanges<WebhookEndpointRecord>;
  /** Why the endpoint must be disabled. */
  readonly disabledReason?: DisabledReason | undefined;
}

/** Returns the changes that disable or enable an endpoint. Enabling also ends its failures and resumes its deliveries. */
export function enabledChanges(
  isEnabled: boolean,
  disabledReason: DisabledReason,
  now: Date,
): FieldChanges<WebhookEndpointRecord> {
  if (!isEnabled) return { isEnabled, disabledReason, updatedAt: now };
  return { isEnabled, disabledReason: null, failingSince: null, pausedUntil: now, dueAt: now, updatedAt: now };
}

/**
 * Returns what an attempt changes. After a failure, the delivery waits for its retry delay, and the endpoint pauses for
 * half of the time that it has been failing (5 s to 30 min), so that one delivery at a time tests whether it has recovered.
 * `Retry-After` extends both.
 * @param random from 0 to 1, so that retries are spread out
 */
export function afterAttempt(
  failingSince: Date | undefined,
  previous: readonly DeliveryAttempt[],
  { attempt, retryAfter = 0 }: AttemptResult,
  now: Date,
  random: number,
): Outcome {
  const attempts = [...previous, attempt].slice(-maxAttempts);
  const { at, statusCode = 0 } = attempt;
  if (statusCode >= 200 && statusCode < 300) {
    const delivery = { status: 'succeeded', attempts, nextAttemptAt: null } as const;
    return { delivery, endpoint: { lastDelivery: attempt, failingSince: null, pausedUntil: now } };
  }
  const later = (delay: number) => {
    const pause = Math.max(delay * (0.9 + 0.2 * random), Math.min(retryAfter, maxRetryAfter));
    return new Date(now.getTime() + pause);
  };
  const delay = retryDelays[previous.length];
  const since = failingSince ?? at;
  const failing = now.getTime() - since.getTime();
  const pausedUntil = later(Math.min(Math.max(minPause, failing / 2), maxPause));
  const retry = delay === undefined ? undefined : later(delay);
  return {
    delivery: { status: retry ? 'pending' : 'failed', attempts, nextAttemptAt: retry ?? null },
    endpoint: { lastDelivery: attempt, failingSince: since, pausedUntil },
    disabledReason: statusCode === 410 ? 'gone' : failing >= maxFailing ? 'failing' : undefined,
  };
}

/** Returns the delivery of an event to an endpoint, due at once. Its ID is the same on every server. */
export function toDelivery(
  { _id: endpointId, organizationId }: { readonly _id: RecordId; readonly organizationId: RecordId },
  { id, type, at, data }: OccurredEvent,
  now: Date,
): WebhookDeliveryRecord {
  // The clock of the database, which has the time of a change, can be ahead.
  const createdAt = at < now ? at : now;
  return {
    _id: toRecordId(hash('sha256', `${String(endpointId)}.${id}`, 'hex').slice(0, 24)),
    organizationId,
    endpointId,
    event: type,
    status: 'pending',
    attempts: [],
    nextAttemptAt: createdAt,
    body: JSON.stringify({ type, timestamp: at.toISOString(), data }),
    createdAt,
    updatedAt: createdAt,
  };
}
