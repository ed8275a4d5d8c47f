import { appendFileSync } from 'node:fs';
import type { Verdict } from './verification.js';
import { isAcknowledged, type Ledger, quantile } from './ledger.js';

/** The line of one fault in the table that ends the run (see figures-reporter.cjs). */
export interface Figures {
  readonly fault: string;
  readonly sent: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly cut: number;
  readonly lost: number;
  readonly doubled: number;
  /** Refused to the last, and done all the same: no fault, since nobody was told «done». */
  readonly doneThoughRefused: number;
  /** The longest that anybody waited for an answer, in milliseconds. */
  readonly longestWait: number;
  /** Milliseconds from the end of the disturbance to the first whole second without refusals; undefined: none came. */
  readonly recovery: number | undefined;
}

/** Counts a ledger. */
export function figuresOf(fault: string, ledger: Ledger, verdict: Verdict, recovery: number | undefined): Figures {
  const { exchanges } = ledger;
  const acknowledged = exchanges.filter(isAcknowledged).length;
  const cut = exchanges.filter(({ status }) => status === undefined).length;
  return {
    fault,
    sent: exchanges.length,
    acknowledged,
    refused: exchanges.length - acknowledged - cut,
    cut,
    lost: verdict.lost,
    doubled: verdict.doubled,
    doneThoughRefused: verdict.doneThoughRefused,
    longestWait: Math.round(quantile(exchanges, 1)),
    recovery: recovery === undefined ? undefined : Math.round(recovery),
  };
}

/** Keeps a line for the table. */
export function report(figures: Figures): void {
  const file = process.env['FAULT_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}
