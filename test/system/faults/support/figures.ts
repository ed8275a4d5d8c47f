import { appendFileSync } from 'node:fs';
import type { Verdict } from './verification.js';
import { isAcknowledged, type Ledger, quantile } from './ledger.js';

/** The line of one fault in the table of figures-reporter.cjs. */
export interface Figures {
  readonly fault: string;
  readonly sent: number;
  readonly acknowledged: number;
  readonly rejected: number;
  readonly cut: number;
  readonly lost: number;
  readonly duplicated: number;
  /** Rejected in every attempt, but applied, which is allowed because none was acknowledged. */
  readonly appliedThoughRejected: number;
  /** The longest response time in milliseconds. */
  readonly longestWait: number;
  /**
   * Milliseconds from the end of the fault to the first full second without rejections; undefined if there was none.
   */
  readonly recovery: number | undefined;
}

/** Computes the figures of a ledger. */
export function figuresOf(fault: string, ledger: Ledger, verdict: Verdict, recovery: number | undefined): Figures {
  const { exchanges } = ledger;
  const acknowledged = exchanges.filter(isAcknowledged).length;
  const cut = exchanges.filter(({ status }) => status === undefined).length;
  return {
    fault,
    sent: exchanges.length,
    acknowledged,
    rejected: exchanges.length - acknowledged - cut,
    cut,
    lost: verdict.lost,
    duplicated: verdict.duplicated,
    appliedThoughRejected: verdict.appliedThoughRejected,
    longestWait: Math.round(quantile(exchanges, 1)),
    recovery: recovery === undefined ? undefined : Math.round(recovery),
  };
}

/** The line of one fault in the table of webhooks. */
export interface WebhookFigures {
  readonly fault: string;
  readonly events: number;
  /** Different events that arrived. */
  readonly delivered: number;
  /** Requests with the `webhook-id` of an earlier one. */
  readonly duplicates: number;
  /** The longest time from the response to a write to the first arrival of its event, in milliseconds. */
  readonly longestDelay: number;
}

/** Stores a line of the table. */
export function report(figures: Figures | WebhookFigures): void {
  const file = process.env['FAULT_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}
