import { randomUUID } from 'node:crypto';
import type { Exchange, Sending } from './exchange.js';

export type CreatedKind = 'teams' | 'players' | 'schedules';

/** One record that was to be made, by one request or by several with the same idem-key. */
export interface Create {
  readonly kind: CreatedKind;
  /** A name that no other record has: by it the database is asked how often the record is there. */
  readonly marker: string;
  readonly sending: Sending;
  attempts: number;
  /** The first answer that said 201. */
  acknowledged?: { readonly id: string; readonly text: string };
}

/** A schedule with one writer, who numbers its changes. */
export interface Trail {
  readonly id: string;
  lastSent: number;
  lastAcknowledged: number;
  deletion: 'none' | 'asked' | 'acknowledged';
}

/** Everything that was sent under one fault, and what became of it. */
export class Ledger {
  /** Begins every marker of this ledger. */
  readonly run = `run-${randomUUID().slice(0, 8)}`;
  readonly exchanges: Exchange[] = [];
  readonly creates: Create[] = [];
  readonly trails: Trail[] = [];
  /** Answers that no fault excuses, in words. */
  readonly complaints: string[] = [];

  /** Notes a request that is over; whatever is neither wanted nor a 503 is a complaint. */
  note(exchange: Exchange, wanted: readonly number[]): void {
    this.exchanges.push(exchange);
    const { purpose, status, text } = exchange;
    if (status === undefined || status === 503 || wanted.includes(status)) return;
    this.complaints.push(`${purpose}: ${status} ${text.slice(0, 200)}`);
  }

  /** A new marker. */
  marker(): string {
    return `${this.run}-${this.creates.length}-${randomUUID().slice(0, 8)}`;
  }

  /** What was answered in a stretch of time (`performance.now()`). */
  answeredBetween(from: number, to: number): Exchange[] {
    return this.exchanges.filter(({ sentAt, milliseconds }) => {
      const answeredAt = sentAt + milliseconds;
      return answeredAt >= from && answeredAt < to;
    });
  }

  /** What was sent in a stretch of time. */
  sentBetween(from: number, to: number): Exchange[] {
    return this.exchanges.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  }
}

/** True for an answer that says «done». */
export function isAcknowledged({ status }: Exchange): boolean {
  return status !== undefined && status < 300;
}

/** True for an answer that says «not now», and for none at all. */
export function isRefused(exchange: Exchange): boolean {
  return !isAcknowledged(exchange);
}

/** A response that takes so much longer than the slowest one before the fault counts as not served, in milliseconds. */
const tolerableDelay = 1_000;

/**
 * Returns how long after a moment the first whole second begins in which every request is served without a long wait, in
 * milliseconds; undefined if there is no such second.
 * @param usual what the slowest request took before the fault: on a busy machine, a slow response is not the fault's doing
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
  // Who is not served sends nothing meanwhile, nor who was held up by the fault: the next second begins with their answer.
  const heldUp = sent.filter(({ at, served }) => !served || at < moment).map(({ until }) => until);
  const beginnings = [moment, ...heldUp.sort((one, other) => one - other)];
  for (const begin of beginnings) {
    const second = sent.filter(({ at }) => at > begin && at <= begin + 1_000);
    if (end >= begin + 1_000 && second.length > 0 && second.every(({ served }) => served)) return begin - moment;
  }
  return undefined;
}

/** A quantile of how long requests took, in milliseconds; 0 where there were none. */
export function quantile(exchanges: readonly Exchange[], share: number): number {
  const sorted = exchanges.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** True for a request that was refused, or felt that something was amiss. */
export function waited(exchange: Exchange): boolean {
  return isRefused(exchange) || exchange.milliseconds > 500;
}
