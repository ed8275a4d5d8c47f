import { newRecordId } from '../../database/record.js';
import type { Change } from '../changes/change.schema.js';
import type { DeliveryAttempt, WebhookEvent } from './webhook-delivery.schema.js';
import {
  afterAttempt,
  bodyOf,
  isBlocked,
  lastAttemptOf,
  type OccurredEvent,
  retryDelays,
  toDeliveries,
  toDelivery,
} from './webhook.rules.js';

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

describe('the last attempt of a delivery', () => {
  const lastAttemptIn = (count: number, nextIn: number) => {
    const attempts = Array.from({ length: count }, () => attemptWith(500));
    const last = lastAttemptOf({ attempts, nextAttemptAt: ago(-nextIn) }, now);
    return (last?.getTime() ?? NaN) - now.getTime();
  };

  it('is due after all pauses that are left, counted from now if the next attempt is late', () => {
    expect(lastAttemptIn(0, 0)).toBe(75 * hour + 35 * minute + 5 * second);
    expect(lastAttemptIn(8, hour)).toBe(25 * hour);
    expect(lastAttemptIn(8, -hour)).toBe(24 * hour);
    expect(lastAttemptIn(12, minute)).toBe(minute);
    expect(lastAttemptOf({ attempts: [] }, now)).toBeUndefined();
  });
});

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
    ['a failure after five days', { statusCode: 500, failingSince: ago(5 * day) }, 'failing'],
    ['a failure just before five days', { statusCode: 500, failingSince: ago(5 * day - 1) }, undefined],
    ['a success after five days', { statusCode: 200, failingSince: ago(5 * day) }, undefined],
  ])('with %s is disabled: %j', (_what, result, disabledReason) => {
    expect(outcomeOf(result).disabledReason).toBe(disabledReason);
  });

  it('keeps the delivery that was answered with 410 for the time when it is enabled again', () => {
    expect(outcomeOf({ statusCode: 410 }).delivery.status).toBe('pending');
  });

  it.each([
    [1_000, 0],
    [1_001, 1_001],
    [14_000, 14_000],
  ])('that needed %i ms for a success pauses for %i ms', (durationMs, pause) => {
    const attempt = { at: now, statusCode: 200, durationMs };
    const { pausedUntil } = afterAttempt(undefined, [], { attempt }, now, 0.5).endpoint;
    expect(pausedUntil).toEqual(new Date(now.getTime() + pause));
  });
});

describe('the events of a page of the feed', () => {
  const endpoint = { _id: newRecordId(), organizationId: newRecordId() };
  const positionAt = (time: number, _id: string) => `${time.toString(16).padStart(16, '0')}.${_id}`;
  const row = (_id: string, position: number, created?: number, expiresAt?: Date) =>
    ({
      _id,
      kind: _id.split('.')[0],
      position: positionAt(position, _id),
      ...(created !== undefined && { created: positionAt(created, _id) }),
      ...(expiresAt && { expiresAt }),
      changedAt: now,
    }) as Change;
  /** `team.created team.1 12`: the type, the record and the position of each event. */
  const eventsIn = (rows: Change[], events?: WebhookEvent[]) => {
    const range = { after: positionAt(10, '~'), last: positionAt(20, '~') };
    const deliveries = toDeliveries({ ...endpoint, ...(events && { events }) }, rows, range);
    return deliveries.map((one) => `${one.event} ${one.record} ${parseInt(one.position?.slice(0, 16) ?? '', 16)}`);
  };

  it.each<[string, Change, string[]]>([
    ['created', row('team.1', 12, 12), ['team.created team.1 12']],
    ['created and changed', row('team.1', 14, 12), ['team.created team.1 12', 'team.updated team.1 14']],
    ['created on this page, and changed after it', row('team.1', 25, 12), ['team.created team.1 12']],
    ['created before this page', row('team.1', 14, 9), ['team.updated team.1 14']],
    ['there before a rebuild', row('team.1', 14), ['team.updated team.1 14']],
    ['created and deleted', row('team.1', 14, 12, now), ['team.created team.1 12', 'team.deleted team.1 14']],
    ['inserted as deleted', row('player.1', 14, 14, now), ['player.deleted player.1 14']],
    ['not changed on this page', row('team.1', 25, 9), []],
    ['statistics', row('playerStatistics.1', 14), ['player-statistics.updated playerStatistics.1 14']],
    ['statistics of a deleted game', row('playerStatistics.1', 14, undefined, now), []],
    [
      'a season, created and changed',
      row('season.1', 14, 12),
      ['season.created season.1 12', 'season.updated season.1 14'],
    ],
    ['a removed season', row('season.1', 14, 9, now), []],
  ])('of a record that was %s', (_what, changed, expected) => {
    expect(eventsIn([changed, changed])).toEqual(expected);
  });

  it('are those that the endpoint subscribes to, in order', () => {
    const rows = [row('team.1', 18, 12), row('player.2', 15, 9), row('team.3', 14, 9)];
    expect(eventsIn(rows, ['team.updated', 'player.updated'])).toEqual([
      'team.updated team.3 14',
      'player.updated player.2 15',
      'team.updated team.1 18',
    ]);
  });
});

describe('a delivery', () => {
  const endpoint = { _id: newRecordId(), organizationId: newRecordId() };
  const event: OccurredEvent = { id: 'f.team.1', type: 'team.created', at: now, record: 'team.1' };

  it('has another ID for another endpoint or event', () => {
    const other = { ...endpoint, _id: newRecordId() };
    const deliveries = [
      toDelivery(endpoint, event),
      toDelivery(other, event),
      toDelivery(endpoint, { ...event, id: 'g' }),
    ];
    expect(new Set(deliveries.map(({ _id }) => String(_id))).size).toBe(3);
  });

  it('is due at once', () => {
    expect(toDelivery(endpoint, event)).toMatchObject({
      organizationId: endpoint.organizationId,
      endpointId: endpoint._id,
      event: 'team.created',
      status: 'pending',
      attempts: [],
      nextAttemptAt: now,
      record: 'team.1',
    });
  });

  it('has the IDs and the revision of the current record, without a revision for statistics', () => {
    const changedBy = { type: 'key', name: 'ERP', keyPrefix: 'ffk_live_1' } as const;
    const ids = { _id: '1', externalId: 'erp-1', teamId: '2' };
    const found = { ...ids, revision: 7, changedBy, organizationId: '3', name: 'Jordan' };
    const dataOf = (type: OccurredEvent['type'], record: string) => {
      const delivery = toDelivery(endpoint, { id: 'f', type, at: now, record });
      const { data, ...rest } = JSON.parse(bodyOf(delivery, found)) as { data: object };
      expect(rest).toEqual({ type, timestamp: now.toISOString() });
      return data;
    };
    const named = { id: '1', externalId: 'erp-1', teamId: '2' };
    const current = { ...named, revision: 7, changedBy };
    expect(dataOf('team.created', 'team.1')).toEqual({ kind: 'team', ...current, deleted: false });
    expect(dataOf('player.deleted', 'player.1')).toEqual({ kind: 'player', ...current, deleted: true });
    const statistics = { kind: 'playerStatistics', ...named, deleted: false };
    expect(dataOf('player-statistics.updated', 'playerStatistics.1')).toEqual(statistics);
    expect(dataOf('ping', 'ping')).toEqual({});
  });

  it('of an erased record has only its kind and ID', () => {
    const delivery = toDelivery(endpoint, { id: 'f', type: 'player.deleted', at: now, record: 'player.1' });
    expect(JSON.parse(bodyOf(delivery))).toMatchObject({ data: { kind: 'player', id: '1', deleted: true } });
  });
});

describe('a block by a super admin', () => {
  const url = 'https://hooks.example.com/a';

  it.each([
    ['the host with another path', 'https://hooks.example.com/b', true],
    ['the host with a trailing dot', 'https://hooks.example.com./', true],
    ['the host with another port', 'https://hooks.example.com:8443/', true],
    ['another host', 'https://hooks2.example.com/', false],
  ])('of %s: %s → %s', (_what, sent, isExpected) => {
    expect(isBlocked(sent, [{ url, disabledReason: 'admin' }])).toBe(isExpected);
    expect(isBlocked(sent, [{ url, disabledReason: 'failing' }])).toBe(false);
  });
});
