import type { Logger } from 'pino';
import type { LogOutput } from '../common/logging/log-output.js';

/** How long the line of a fault may take to get out, in milliseconds. */
const longestFlush = 1_000;
/** How many causes of causes are told. */
const mostCauses = 10;

/** Ends the process because of a fault that nobody handled. */
export type EndOnFault = (fault: unknown) => void;

/**
 * From now on a fault that nobody handles ends the process, with exit code 1 and one line that tells it: after one
 * nobody knows what still holds, and a new process is sound.
 * @returns the same end, for faults that somebody met and cannot handle
 */
export function endOnFaults(logger: Logger, output: LogOutput): EndOnFault {
  let isEnding = false;
  const end: EndOnFault = (fault) => {
    // What fails behind the first fault is its consequence.
    if (isEnding) return;
    isEnding = true;
    // Not as `err`: what the logger makes of that has all that an error carries.
    try {
      const described = describeFault(fault);
      output.urgently(() => logger.fatal({ fault: described }, 'A fault that nobody handled ends the server'));
    } catch {
      // A getter of the fault may throw.
      output.urgently(() => logger.fatal('A fault that nobody handled, and that cannot be told, ends the server'));
    } finally {
      void output.flush(longestFlush).finally(() => process.exit(1));
    }
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  return end;
}

/** What is told of a fault. */
export interface FaultDescription {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | number | undefined;
  readonly causes?: readonly FaultDescription[];
}

/**
 * A fault with its causes, the nearest first; those of an AggregateError are its errors. Of each the type, the message,
 * the code and the stack alone: errors carry commands and documents, too, which are not for the log.
 */
export function describeFault(fault: unknown): FaultDescription {
  const causes: FaultDescription[] = [];
  const seen = new Set<unknown>([fault]);
  const waiting = causesOf(fault);
  while (waiting.length > 0 && causes.length < mostCauses) {
    const cause = waiting.shift();
    if (seen.has(cause)) continue;
    seen.add(cause);
    causes.push(describeOne(cause));
    waiting.push(...causesOf(cause));
  }
  return { ...describeOne(fault), ...(causes.length > 0 && { causes }) };
}

function causesOf(fault: unknown): unknown[] {
  if (!(fault instanceof Error)) return [];
  const errors: unknown[] = fault instanceof AggregateError ? fault.errors : [];
  return fault.cause === undefined ? [...errors] : [fault.cause, ...errors];
}

function describeOne(fault: unknown): FaultDescription {
  if (!(fault instanceof Error)) return { type: typeof fault, message: textOf(fault) };
  const { code } = fault as Error & { code?: unknown };
  return {
    type: fault.name,
    message: fault.message,
    stack: fault.stack,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
  };
}

/** Whatever was thrown, in words; an object may have no way to become a text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'something that is no error';
  }
}
