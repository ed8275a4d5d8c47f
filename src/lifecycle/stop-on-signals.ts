import { constants } from 'node:os';
import type { Logger } from 'pino';
import type { LogOutput } from '../common/logging/log-output.js';
import { describeFault } from './end-on-faults.js';

/** How long a stop may take, after the time that it is told to wait before it begins, in milliseconds. */
const longestStop = 14_000;
/** How long the last lines may take to get out then, in milliseconds. */
const longestFlush = 1_000;
/**
 * A signal that is sent to a whole group can come twice where a parent passes it on as well, as npm does with Ctrl-C:
 * within so many milliseconds it is the same one.
 */
const sameSignal = 100;

/** Tells what the stop does next, in words that go with «waiting for». */
export type TellStep = (waitingFor: string) => void;

/** What a stop needs. */
export interface StopOptions {
  readonly logger: Logger;
  readonly output: LogOutput;
  /** For how long the server goes on before the stop begins, in milliseconds. */
  readonly delay: number;
  /** Stops everything in order. */
  readonly stop: (tell: TellStep) => Promise<void>;
}

/**
 * Stops in order on SIGTERM or SIGINT, and then ends the process: exit code 0, or 1 with the reason in the log where
 * the stop fails or takes too long. A second signal ends it at once, with 128 and the signal's number.
 * @returns aborted as soon as the stop begins
 */
export function stopOnSignals({ logger, output, delay, stop }: StopOptions): AbortSignal {
  const stopping = new AbortController();
  let begun = 0;
  const begin = (signal: NodeJS.Signals) => {
    begun = performance.now();
    stopping.abort();
    let waitingFor = 'the delay';
    const end = (code: number) => void output.flush(longestFlush).finally(() => process.exit(code));
    output.urgently(() => logger.info({ signal }, 'Stopping'));
    setTimeout(() => {
      output.urgently(() => logger.error({ waitingFor }, 'The stop takes too long: the server ends without it'));
      end(1);
    }, delay + longestStop);
    stop((next) => (waitingFor = next)).then(
      () => {
        output.urgently(() => logger.info({ milliseconds: Math.round(performance.now() - begun) }, 'Stopped'));
        end(0);
      },
      (error: unknown) => {
        output.urgently(() => logger.error({ waitingFor, fault: describeFault(error) }, 'The stop failed'));
        end(1);
      },
    );
  };
  const hear = (signal: NodeJS.Signals) => {
    if (!stopping.signal.aborted) begin(signal);
    else if (performance.now() - begun > sameSignal) process.exit(128 + constants.signals[signal]);
  };
  process.on('SIGTERM', hear);
  process.on('SIGINT', hear);
  return stopping.signal;
}
