import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { eventually } from '../../../support/processes.js';
import { type Exchange, faultOfForm } from './exchange.js';
import { figuresOf, type Figures, report } from './figures.js';
import { isRefused, type Ledger, quantile, recoveryAfter } from './ledger.js';
import type { Partner } from './partner.js';
import { type Verdict, verify, verifyReplays } from './verification.js';
import { Workload } from './workload.js';

const quietMilliseconds = 1_500;
/** The fewest requests that show what is usual before a fault, however long they take. */
const fewestQuiet = 50;
/**
 * Requests are served again within this time after a fault, in milliseconds. An election takes about two seconds with the
 * settings of the replica set, and a server may need as long to notice it. The rest is for a busy machine.
 */
const promisedRecovery = 15_000;
/** How long the load goes on until requests are served again. */
const longestRecovery = 25_000;
/** And how long after that, so that a relapse is seen. */
const afterMilliseconds = 1_500;
/** No request may take longer, beyond what one takes before the fault. */
const longestWait = 10_000;

/** Where the load goes, and where it is looked at afterwards. */
export interface Target {
  /** The servers' addresses, or the proxy's alone. */
  readonly bases: readonly string[];
  readonly partner: Partner;
  readonly database: Db;
  /** Each reads what one server wrote so far: no line of it may tell of a fault of the server's own. */
  readonly logs: readonly (() => string)[];
}

/** What one fault alone may do. */
export interface Excuses {
  /** Whether it may cut connections: only one that kills a server which clients call directly. */
  readonly cuts?: boolean;
}

/** A fault as it was made. */
export interface Disturbance {
  /** When it began, in milliseconds of `performance.now()`. */
  readonly begun: number;
  /** From when on the servers could have recovered: the end of the disturbance, or of the cause of an election. */
  readonly recoverable: number;
}

/** What a run under a fault has shown. */
export interface Outcome extends Disturbance {
  readonly ledger: Ledger;
  readonly figures: Figures;
  /** How long the slowest request took before the fault, in milliseconds: a busy machine needs as long for any. */
  readonly usual: number;
}

/**
 * Lets a fault happen while requests are sent all the time, checks what every fault must leave whole (see
 * `expectKept`), and gives what was seen, for what this fault must show beyond that.
 */
export async function underLoad(
  fault: string,
  target: Target,
  disturb: (ledger: Ledger) => Promise<Disturbance>,
  excuses: Excuses = {},
): Promise<Outcome> {
  const logs = target.logs.map((log) => new LogTail(log));
  const workload = Workload.start(target.bases, target.partner);
  const { ledger } = workload;
  let disturbance: Disturbance;
  let usual: number;
  try {
    await sleep(quietMilliseconds);
    await eventually('there is load', () => ledger.exchanges.length >= fewestQuiet, 60);
    usual = quantile(ledger.exchanges, 1);
    disturbance = await disturb(ledger);
    await untilRecovered(ledger, disturbance.recoverable, usual);
  } finally {
    await workload.stop();
  }
  const recovery = recoveryAfter(disturbance.recoverable, ledger.exchanges, usual);
  const verdict = await verify(ledger, target.database, target.partner);
  const figures = figuresOf(fault, ledger, verdict, recovery);
  report(figures);
  const outcome = { ...disturbance, ledger, figures, usual };
  // First of all: where a server failed, its log says why.
  expect(logs.flatMap((log) => log.faults())).toEqual([]);
  expectKept(outcome, verdict, excuses);
  expect(await verifyReplays(ledger, target.bases, target.partner)).toEqual([]);
  expect(logs.flatMap((log) => log.faults())).toEqual([]);
  return outcome;
}

async function untilRecovered(ledger: Ledger, moment: number, usual: number): Promise<void> {
  const end = performance.now() + longestRecovery;
  while (recoveryAfter(moment, ledger.exchanges, usual) === undefined && performance.now() < end) await sleep(100);
  await sleep(afterMilliseconds);
}

/** The promises that no fault may break. */
function expectKept({ ledger, begun, figures, usual }: Outcome, verdict: Verdict, { cuts = false }: Excuses): void {
  // Without a refusal before the fault, each later one is the fault's doing.
  expect(ledger.answeredBetween(0, begun).filter(isRefused).map(inWords)).toEqual([]);
  expect(verdict.complaints).toEqual([]);
  expect([verdict.lost, verdict.doubled]).toEqual([0, 0]);
  expect(ledger.complaints).toEqual([]);
  const broken = ledger.exchanges.flatMap((exchange) => {
    const form = faultOfForm(exchange);
    return form === undefined ? [] : [`${inWords(exchange)} ${form}`];
  });
  expect(broken).toEqual([]);
  expect(ledger.exchanges.filter(({ milliseconds }) => milliseconds > longestWait + usual).map(inWords)).toEqual([]);
  if (!cuts) expect(ledger.exchanges.filter(({ status }) => status === undefined).map(inWords)).toEqual([]);
  expect(figures.recovery).toBeLessThan(promisedRecovery);
}

function inWords({ purpose, status, cut, milliseconds, text }: Exchange): string {
  return `${purpose}: ${status ?? cut} after ${Math.round(milliseconds)} ms ${text.slice(0, 200)}`;
}

/** What is written to a log from now on. */
class LogTail {
  private readonly begin: number;

  constructor(private readonly read: () => string) {
    this.begin = read().length;
  }

  /** The lines that tell of a fault of the server's own, or are no lines of its log at all. */
  faults(): string[] {
    const lines = this.read().slice(this.begin).split('\n');
    return lines.filter((line) => line !== '' && !isHarmless(line));
  }
}

function isHarmless(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    return level === 'info' || level === 'warn' || level === 'debug';
  } catch {
    return false;
  }
}
