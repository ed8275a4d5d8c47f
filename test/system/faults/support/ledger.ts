import { expectError } from '../../../support/expectations.js';
import type { Exchange } from '../../../support/feed-writers.js';

/** All requests under one fault and their outcomes. */
export class Ledger {
  readonly exchanges: Exchange[] = [];

  /** Notes a finished request, whose response has the form of the contract: an envelope, and Retry-After with 503. */
  note(exchange: Exchange): void {
    this.exchanges.push(exchange);
    const { response } = exchange;
    if (response === undefined || response.status < 400) return;
    expectError(response, (response.body as { error: number }).error);
    if (response.status === 503) expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  }

  /** Returns the requests that finished in a period (by `performance.now()`). */
  answeredBetween(from: number, to: number): Exchange[] {
    return this.exchanges.filter(({ sentAt, milliseconds }) => {
      const answeredAt = sentAt + milliseconds;
      return answeredAt >= from && answeredAt < to;
    });
  }

  /** Returns the requests that were sent in a period. */
  sentBetween(from: number, to: number): Exchange[] {
    return this.exchanges.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  }
}

/** Returns true for a 503 and for a missing response. */
export function isRejected({ response }: Exchange): boolean {
  return response === undefined || response.status === 503;
}

/** A response that is this much slower than the slowest before the fault counts as not served, in milliseconds. */
const tolerableDelay = 1_000;

/**
 * Returns the time from a moment to the first full second in which every request is served without a long wait, in
 * milliseconds; undefined if there is no such second.
 * @param usual duration of the slowest request before the fault, which a busy machine causes
 */
export function recoveryAfter(moment: number, exchanges: readonly Exchange[], usual = 0): number | undefined {
  const sent = exchanges
    .map((exchange) => ({
      at: exchange.sentAt,
      until: exchange.sentAt + exchange.milliseconds,
      served: !isRejected(exchange) && exchange.milliseconds < usual + tolerableDelay,
    }))
    .filter(({ until }) => until >= moment)
    .sort((one, other) => one.at - other.at);
  const end = sent.at(-1)?.at ?? moment;
  // A waiting client sends nothing, so the next second starts with its response.
  const heldUp = sent.filter(({ at, served }) => !served || at < moment).map(({ until }) => until);
  const beginnings = [moment, ...heldUp.sort((one, other) => one - other)];
  for (const begin of beginnings) {
    const second = sent.filter(({ at }) => at > begin && at <= begin + 1_000);
    if (end >= begin + 1_000 && second.length > 0 && second.every(({ served }) => served)) return begin - moment;
  }
  return undefined;
}

/** Returns a quantile of the durations in milliseconds; 0 without requests. */
export function quantile(exchanges: readonly Exchange[], share: number): number {
  const sorted = exchanges.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Returns true for a request that was rejected or delayed. */
export function waited(exchange: Exchange): boolean {
  return isRejected(exchange) || exchange.milliseconds > 500;
}
