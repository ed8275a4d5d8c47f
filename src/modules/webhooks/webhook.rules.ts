import type { FieldChanges } from '../../database/record.js';
import type { DeliveryAttempt, WebhookDeliveryRecord } from './webhook-delivery.schema.js';
import type { DisabledReason, WebhookEndpointRecord } from './webhook-endpoint.schema.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The pauses between the attempts of a delivery: https://www.standardwebhooks.com recommends them. */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];
/** The longest pause between two deliveries to a failing endpoint, so that it recovers soon. */
const maxPause = 30 * minute;
const maxRetryAfter = day;
/** An endpoint that only failed for this long is disabled. */
const maxFailing = 5 * day;

/** An attempt, and the pause that the endpoint asked for with `Retry-After`, in milliseconds. */
export interface AttemptResult {
  readonly attempt: DeliveryAttempt;
  readonly retryAfter?: number | undefined;
}

/** What an attempt changes. */
interface Outcome {
  readonly delivery: FieldChanges<WebhookDeliveryRecord> & Pick<WebhookDeliveryRecord, 'status'>;
  readonly endpoint: FieldChanges<WebhookEndpointRecord>;
}

/** Returns the changes that disable or enable an endpoint. Enabling also ends its failures and resumes its deliveries. */
export function changesOfToggle(
  isEnabled: boolean,
  disabledReason: DisabledReason,
  now: Date,
): FieldChanges<WebhookEndpointRecord> {
  const changes = { isEnabled, updatedAt: now };
  if (!isEnabled) return { ...changes, disabledReason };
  return { ...changes, disabledReason: null, failures: 0, failingSince: null, pausedUntil: now, dueAt: now };
}

export function isSuccess({ statusCode = 0 }: DeliveryAttempt): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/**
 * Returns what an attempt changes. After a failure, the delivery waits as long as `retryDelays` and `Retry-After` say; the
 * endpoint gets no other delivery for up to 30 minutes, so that one delivery at a time finds out whether it has recovered.
 * @param random from 0 to 1, so that retries of many endpoints spread
 */
export function afterAttempt(
  endpoint: Pick<WebhookEndpointRecord, 'failures' | 'failingSince'>,
  delivery: Pick<WebhookDeliveryRecord, 'event' | 'attempts'>,
  { attempt, retryAfter = 0 }: AttemptResult,
  now: Date,
  random: number,
): Outcome {
  const attempts = [...delivery.attempts, attempt];
  const lastDelivery = { at: attempt.at, event: delivery.event, isSuccess: isSuccess(attempt) };
  if (lastDelivery.isSuccess) {
    const recovered = { lastDelivery, failures: 0, failingSince: null, pausedUntil: now };
    return { delivery: { status: 'succeeded', attempts, nextAttemptAt: null }, endpoint: recovered };
  }
  const later = (delay: number, atMost: number) => {
    const asked = Math.min(retryAfter, maxRetryAfter);
    return new Date(now.getTime() + Math.max(asked, Math.min(delay, atMost) * (0.9 + 0.2 * random)));
  };
  const delay = retryDelays[attempts.length - 1];
  const { failures, failingSince = attempt.at } = endpoint;
  const isGone = attempt.statusCode === 410;
  const isDead = isGone || now.getTime() - failingSince.getTime() >= maxFailing;
  return {
    delivery: {
      attempts,
      ...(delay === undefined
        ? { status: 'failed', nextAttemptAt: null }
        : { status: 'pending', nextAttemptAt: later(delay, day) }),
    },
    endpoint: {
      lastDelivery,
      failures: failures + 1,
      failingSince,
      pausedUntil: later(retryDelays[failures] ?? maxPause, maxPause),
      ...(isDead && { isEnabled: false, disabledReason: isGone ? 'gone' : 'failing' }),
    },
  };
}
