import type { Db } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../../support/feed-writers.js';
import { eventually } from '../../../support/processes.js';
import type { RunningServer } from '../../../support/server.js';
import { isRejected, type Ledger, quantile, recoveryAfter } from './ledger.js';
import { Load } from './load.js';

const quietMilliseconds = 1_500;
/** Minimum number of requests before a fault, as the baseline. */
const fewestQuiet = 50;
/**
 * Requests are served again within this time after a fault, in milliseconds. An election takes about two seconds with
 * the settings of the replica set, and a server may need as long to notice it. The rest is for a busy machine.
 */
const promisedRecovery = 15_000;
/** Maximum time until requests are served again. */
const longestRecovery = 25_000;
/** Duration of the load after that, to detect a relapse. */
const afterMilliseconds = 1_500;
/** Maximum duration of a request, beyond the baseline. */
const longestWait = 10_000;

/** The target of the load, and how to check it afterwards. */
export interface Target {
  /** The servers, or only the proxy in front of them. */
  readonly servers: readonly RunningServer[];
  readonly database: Db;
  /** Each reads the log of one server, which must not contain errors of the server. */
  readonly logs: readonly (() => string)[];
}

/** Effects that are allowed for one fault. */
export interface Excuses {
  /** Whether connections may break: only if a server that clients call directly is killed. */
  readonly cuts?: boolean;
}

/** An injected fault. */
export interface Disturbance {
  /** Start by `performance.now()`. */
  readonly begun: number;
  /** Earliest time of recovery: the end of the fault, or of the cause of an election. */
  readonly recoverable: number;
}

/** The result of a run under a fault. */
export interface Outcome extends Disturbance {
  readonly ledger: Ledger;
  /**
   * Milliseconds from the end of the fault to the first full second without rejections; undefined if there was none.
   */
  readonly recovery: number | undefined;
  /** Duration of the slowest request before the fault in milliseconds, as the baseline of the machine. */
  readonly usual: number;
}

/**
 * Injects a fault while requests are sent, checks what no fault may break, and returns the result for further checks.
 */
export async function underLoad(
  target: Target,
  disturb: (ledger: Ledger) => Promise<Disturbance>,
  excuses: Excuses = {},
): Promise<Outcome> {
  const logs = target.logs.map((log) => new LogTail(log));
  const load = await Load.start(target.servers);
  const { ledger } = load;
  let disturbance: Disturbance;
  let usual: number;
  try {
    await sleep(quietMilliseconds);
    await eventually('the load has started', () => ledger.exchanges.length >= fewestQuiet, 60);
    usual = quantile(ledger.exchanges, 1);
    disturbance = await disturb(ledger);
    await untilRecovered(ledger, disturbance.recoverable, usual);
  } finally {
    await load.stop();
  }
  const recovery = recoveryAfter(disturbance.recoverable, ledger.exchanges, usual);
  const outcome = { ...disturbance, ledger, recovery, usual };
  // Checked first, because the log of a failed server has the reason.
  expect(logs.flatMap((log) => log.faults())).toEqual([]);
  expectServed(outcome, excuses);
  await load.expectNothingLost(target.database);
  await load.expectReplays();
  expect(logs.flatMap((log) => log.faults())).toEqual([]);
  return outcome;
}

async function untilRecovered(ledger: Ledger, moment: number, usual: number): Promise<void> {
  const end = performance.now() + longestRecovery;
  while (recoveryAfter(moment, ledger.exchanges, usual) === undefined && performance.now() < end) await sleep(100);
  await sleep(afterMilliseconds);
}

function expectServed({ ledger, begun, recovery, usual }: Outcome, { cuts = false }: Excuses): void {
  // Without rejections before the fault, later ones are caused by it.
  expect(ledger.answeredBetween(0, begun).filter(isRejected).map(inWords)).toEqual([]);
  expect(ledger.exchanges.filter(({ milliseconds }) => milliseconds > longestWait + usual).map(inWords)).toEqual([]);
  if (!cuts) expect(ledger.exchanges.filter(({ response }) => response === undefined).map(inWords)).toEqual([]);
  expect(recovery).toBeLessThan(promisedRecovery);
}

function inWords({ name, response, milliseconds }: Exchange): string {
  return `${name}: ${response?.status ?? 'no response'} after ${Math.round(milliseconds)} ms ${response?.text ?? ''}`;
}

/** Returns the lines added to a log from now on. */
class LogTail {
  private readonly begin: number;

  constructor(private readonly read: () => string) {
    this.begin = read().length;
  }

  /** Returns the lines that report an error of the server or are not log lines. */
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
