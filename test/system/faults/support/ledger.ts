import { randomUUID } from 'node:crypto';
import type { Exchange, Sending } from './exchange.js';

export type CreatedKind = 'teams' | 'players' | 'schedules';

/** One record to create, by one request or several with the same idem-key. */
export interface Create {
  readonly kind: CreatedKind;
  /** A unique name, by which the record is counted in the database. */
  readonly marker: string;
  readonly sending: Sending;
  attempts: number;
  /** The first response with 201. */
  acknowledged?: { readonly id: string; readonly text: string };
}

/** A schedule with one writer that numbers its changes. */
export interface Trail {
  readonly id: string;
  lastSent: number;
  lastAcknowledged: number;
  deletion: 'none' | 'asked' | 'acknowledged';
}

/** All requests under one fault and their outcomes. */
export class Ledger {
  /** Prefix of every marker of this ledger. */
  readonly run = `run-${randomUUID().slice(0, 8)}`;
  readonly exchanges: Exchange[] = [];
  readonly creates: Create[] = [];
  readonly trails: Trail[] = [];
  /** Descriptions of responses that no fault excuses. */
  readonly complaints: string[] = [];

  /** Records a finished request; any status other than the expected ones and 503 is a violation. */
  note(exchange: Exchange, wanted: readonly number[]): void {
    this.exchanges.push(exchange);
    const { purpose, status, text } = exchange;
    if (status === undefined || status === 503 || wanted.includes(status)) return;
    this.complaints.push(`${purpose}: ${status} ${text.slice(0, 200)}`);
  }

  /** Creates a marker. */
  marker(): string {
    return `${this.run}-${this.creates.length}-${randomUUID().slice(0, 8)}`;
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

/** Returns true for a successful response. */
export function isAcknowledged({ status }: Exchange): boolean {
  return status !== undefined && status < 300;
}

/** Returns true for a 503 and for a missing response. */
export function isRejected(exchange: Exchange): boolean {
  return !isAcknowledged(exchange);
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
      served: isAcknowledged(exchange) && exchange.milliseconds < usual + tolerableDelay,
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
