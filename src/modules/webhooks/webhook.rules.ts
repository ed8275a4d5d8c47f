import { hash, randomBytes } from 'node:crypto';
import { type FieldChanges, toRecordId } from '../../database/record.js';
import { type Change, millisecondsOf, type RecordResponse, toChangeData } from '../changes/change.schema.js';
import type { DeliveryAttempt, WebhookDelivery, WebhookDeliveryRecord } from './webhook-delivery.schema.js';
import type { WebhookMessage } from './webhook-event.dto.js';
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

/** After a success that took longer, an endpoint pauses for as long as it took. */
const slowMilliseconds = second;

/** An event before it has deliveries. */
export interface OccurredEvent {
  /** Identifies the event, the same on every server: its position in the change feed. */
  readonly id: string;
  readonly type: WebhookDelivery['event'];
  readonly at: Date;
  readonly record: string;
}

export interface PendingDelivery extends WebhookDeliveryRecord {
  /** The position of its event in the change feed; only of one that is not stored yet. */
  readonly position?: string;
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
  readonly disabledReason?: DisabledReason | undefined;
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
    const pause = attempt.durationMs > slowMilliseconds ? attempt.durationMs : 0;
    const pausedUntil = new Date(now.getTime() + pause);
    return { delivery, endpoint: { lastDelivery: attempt, failingSince: null, pausedUntil } };
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

/** Returns about when the last attempt of a pending delivery is due if all fail. */
export function lastAttemptOf(
  { attempts, nextAttemptAt }: Pick<WebhookDelivery, 'attempts' | 'nextAttemptAt'>,
  now: Date,
): Date | undefined {
  const left = retryDelays.slice(attempts.length).reduce((sum, delay) => sum + delay, 0);
  return nextAttemptAt && new Date(Math.max(nextAttemptAt.getTime(), now.getTime()) + left);
}

export function latestOf(first = '', second = ''): string {
  return first > second ? first : second;
}

/**
 * Returns the deliveries to an endpoint of the events that it subscribes to, in order.
 * @param rows all insertions and latest changes between the positions, and perhaps others
 */
export function toDeliveries(
  endpoint: Pick<WebhookEndpointRecord, '_id' | 'organizationId' | 'events'>,
  rows: readonly Change[],
  { after, last }: { readonly after: string; readonly last: string },
): PendingDelivery[] {
  const events = new Map(rows.flatMap(eventsOf).map((event) => [event.id, event]));
  return [...events.values()]
    .filter(({ id, type }) => id > after && id <= last && (endpoint.events?.some((each) => each === type) ?? true))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((event) => ({ ...toDelivery(endpoint, event), position: event.id }));
}

/** Returns the insertion and the latest change of a record. Deleted seasons and statistics have no event. */
function eventsOf({ _id: record, kind, created, position, changedAt: at, expiresAt }: Change): OccurredEvent[] {
  const event = (action: string, id = position, time = at): OccurredEvent => {
    return { id, type: `${kind}.${action}` as OccurredEvent['type'], at: time, record };
  };
  if (expiresAt && (kind === 'season' || kind === 'playerStatistics')) return [];
  if (kind === 'playerStatistics') return [{ ...event('updated'), type: 'player-statistics.updated' }];
  if (position === created) return [event(expiresAt ? 'deleted' : 'created')];
  const latest = event(expiresAt ? 'deleted' : 'updated');
  return created === undefined ? [latest] : [event('created', created, new Date(millisecondsOf(created))), latest];
}

/** Builds the body of a delivery from the current record. */
export function bodyOf({ event, record, createdAt }: WebhookDeliveryRecord, found?: RecordResponse): string {
  const data = event === 'ping' ? {} : toChangeData({ _id: record }, event.endsWith('.deleted'), found);
  const message: WebhookMessage = { type: event, timestamp: createdAt.toISOString(), data };
  return JSON.stringify(message);
}

/** Returns the delivery of an event to an endpoint, due immediately. Its ID is the same on every server. */
export function toDelivery(
  { _id: endpointId, organizationId }: Pick<WebhookEndpointRecord, '_id' | 'organizationId'>,
  { id, type, at, record }: OccurredEvent,
): WebhookDeliveryRecord {
  return {
    _id: toRecordId(hash('sha256', `${String(endpointId)}.${id}`, 'hex').slice(0, 24)),
    organizationId,
    endpointId,
    event: type,
    status: 'pending',
    attempts: [],
    nextAttemptAt: at,
    record,
    createdAt: at,
    updatedAt: at,
  };
}

/** Returns the secret of a new endpoint, in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Returns whether a super admin has disabled an endpoint with the host of a URL. */
export function isBlocked(
  url: string,
  endpoints: readonly Pick<WebhookEndpointRecord, 'url' | 'disabledReason'>[],
): boolean {
  const hostOf = (text: string) => new URL(text).hostname.replace(/\.$/, '');
  return endpoints.some((each) => each.disabledReason === 'admin' && hostOf(each.url) === hostOf(url));
}
