import { newRecordId } from '../../database/record.js';
import type { DeliveryAttempt } from './webhook-delivery.schema.js';
import { afterAttempt, enabledChanges, type OccurredEvent, retryDelays, toDelivery } from './webhook.rules.js';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;
const now = new Date('2027-05-01T10:00:00.000Z');
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
const attemptWith = (statusCode?: number): DeliveryAttempt => ({
  at: now,
  durationMs: 10,
  ...(statusCode === undefined ? { error: 'ECONNREFUSED' } : { statusCode }),
});

interface Case {
  readonly statusCode?: number;
  readonly previous?: number;
  readonly failingSince?: Date;
  readonly retryAfter?: number;
  readonly random?: number;
}

function outcomeOf({ statusCode, previous = 0, failingSince, retryAfter, random = 0.5 }: Case = {}) {
  const attempts = Array.from({ length: previous }, () => attemptWith(500));
  const result = { attempt: attemptWith(statusCode), retryAfter };
  const { delivery, endpoint, disabledReason } = afterAttempt(failingSince, attempts, result, now, random);
  const until = (time: Date | null | undefined) => (time ? time.getTime() - now.getTime() : undefined);
  return {
    delivery,
    endpoint,
    disabledReason,
    retryIn: until(delivery.nextAttemptAt),
    pause: until(endpoint.pausedUntil) ?? 0,
  };
}

describe('an attempt', () => {
  it.each([200, 201, 204, 299])(
    'with %i succeeds, and ends the failures and the pause of the endpoint',
    (statusCode) => {
      const outcome = outcomeOf({ statusCode, previous: 3, failingSince: ago(6 * day) });
      expect(outcome.delivery).toMatchObject({ status: 'succeeded', nextAttemptAt: null });
      expect(outcome.delivery.attempts).toHaveLength(4);
      expect(outcome.endpoint).toEqual({ lastDelivery: attemptWith(statusCode), failingSince: null, pausedUntil: now });
      expect(outcome.disabledReason).toBeUndefined();
    },
  );

  it.each([undefined, 100, 199, 300, 301, 307, 400, 404, 429, 500, 502, 504])('with %s is repeated', (statusCode) => {
    const outcome = outcomeOf(statusCode === undefined ? {} : { statusCode });
    expect(outcome.delivery.status).toBe('pending');
    expect(outcome.endpoint).toMatchObject({ lastDelivery: attemptWith(statusCode), failingSince: now });
    expect(outcome.disabledReason).toBeUndefined();
  });

  it('is repeated after the delays of Standard Webhooks, give or take 10 %', () => {
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hour);
    expect(retryDelays).toEqual([5 * second, 5 * minute, 30 * minute, ...hours]);
    for (const [previous, delay] of retryDelays.entries()) {
      expect(outcomeOf({ previous, random: 0 }).retryIn).toBeCloseTo(delay * 0.9, 0);
      expect(outcomeOf({ previous, random: 0.5 }).retryIn).toBeCloseTo(delay, 0);
      expect(outcomeOf({ previous, random: 1 }).retryIn).toBeCloseTo(delay * 1.1, 0);
    }
  });

  it('is the last one after nine repetitions', () => {
    const { delivery } = outcomeOf({ previous: 9 });
    expect(delivery).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(delivery.attempts).toHaveLength(10);
    // A delivery that a partner retries has more attempts.
    expect(outcomeOf({ previous: 12 }).delivery.status).toBe('failed');
    expect(outcomeOf({ previous: 12, statusCode: 200 }).delivery.status).toBe('succeeded');
    expect(outcomeOf({ previous: 50 }).delivery.attempts).toHaveLength(50);
  });
});

describe('Retry-After', () => {
  it.each([
    ['delays the next attempt and the endpoint', hour, hour],
    ['never shortens a delay', second, 5 * second],
    ['counts for at most 24 hours', 30 * day, day],
    ['in the past does not count', -hour, 5 * second],
  ])('%s', (_what, retryAfter, expected) => {
    const { retryIn, pause } = outcomeOf({ statusCode: 429, retryAfter });
    expect([retryIn, pause]).toEqual([expected, expected]);
  });
});

describe('an endpoint', () => {
  it.each([
    ['has just begun to fail', undefined, 5 * second],
    ['has failed for 10 seconds', 10 * second, 5 * second],
    ['has failed for 10 minutes', 10 * minute, 5 * minute],
    ['has failed for an hour', hour, 30 * minute],
    ['has failed for four days', 4 * day, 30 * minute],
  ])('that %s is paused for half of that time, 5 s to 30 min', (_what, failing, expected) => {
    const failingSince = failing === undefined ? {} : { failingSince: ago(failing) };
    expect(outcomeOf({ statusCode: 500, ...failingSince }).pause).toBe(expected);
    expect(outcomeOf({ statusCode: 500, ...failingSince, random: 0 }).pause).toBeCloseTo(expected * 0.9, 0);
    expect(outcomeOf({ statusCode: 500, ...failingSince, random: 1 }).pause).toBeCloseTo(expected * 1.1, 0);
  });

  it('keeps the time of its first failure', () => {
    const failingSince = ago(hour);
    expect(outcomeOf({ statusCode: 500, failingSince }).endpoint).toMatchObject({ failingSince });
  });

  it.each([
    ['410', { statusCode: 410 }, 'gone'],
    ['410 although it has failed for six days', { statusCode: 410, failingSince: ago(6 * day) }, 'gone'],
    ['a failure after five days', { statusCode: 500, failingSince: ago(5 * day) }, 'failing'],
    ['a failure just before five days', { statusCode: 500, failingSince: ago(5 * day - 1) }, undefined],
    ['a success after five days', { statusCode: 200, failingSince: ago(5 * day) }, undefined],
  ])('with %s is disabled: %j', (_what, result, disabledReason) => {
    expect(outcomeOf(result).disabledReason).toBe(disabledReason);
  });

  it('keeps the delivery that was answered with 410 for the time when it is enabled again', () => {
    expect(outcomeOf({ statusCode: 410 }).delivery.status).toBe('pending');
  });

  it('that is enabled has no failures, no pause and no reason, and resumes its deliveries', () => {
    expect(enabledChanges(true, 'organization', now)).toEqual({
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
      pausedUntil: now,
      dueAt: now,
      updatedAt: now,
    });
    expect(enabledChanges(false, 'gone', now)).toEqual({ isEnabled: false, disabledReason: 'gone', updatedAt: now });
  });
});

describe('a delivery', () => {
  const endpoint = { _id: newRecordId(), organizationId: newRecordId() };
  const event: OccurredEvent = { id: 'f.team.1', type: 'team.created', at: now, data: { kind: 'team', id: '1' } };

  it('has the same ID on every server', () => {
    expect(toDelivery({ ...endpoint }, { ...event }, now)).toEqual(toDelivery(endpoint, event, now));
  });

  it('has another ID for another endpoint or event', () => {
    const other = { ...endpoint, _id: newRecordId() };
    const deliveries = [
      toDelivery(endpoint, event, now),
      toDelivery(other, event, now),
      toDelivery(endpoint, { ...event, id: 'g' }, now),
    ];
    expect(new Set(deliveries.map(({ _id }) => String(_id))).size).toBe(3);
  });

  it('is due at once, with the body that is signed', () => {
    expect(toDelivery(endpoint, event, now)).toMatchObject({
      organizationId: endpoint.organizationId,
      endpointId: endpoint._id,
      event: 'team.created',
      status: 'pending',
      attempts: [],
      nextAttemptAt: now,
      body: '{"type":"team.created","timestamp":"2027-05-01T10:00:00.000Z","data":{"kind":"team","id":"1"}}',
    });
  });

  it('is due at once if the clock of the database, and thus the event, is ahead', () => {
    const ahead = { ...event, at: new Date(now.getTime() + 10 * second) };
    expect(toDelivery(endpoint, ahead, now)).toMatchObject({ nextAttemptAt: now, createdAt: now });
    expect(toDelivery(endpoint, ahead, now).body).toContain('"timestamp":"2027-05-01T10:00:10.000Z"');
  });
});
