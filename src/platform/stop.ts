import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { KeyUsage } from '../modules/api-keys/key-usage.js';
import { OpenConnections } from '../common/http/open-connections.js';
import type { LogOutput } from '../common/logging/log-output.js';
import { DatabaseService } from '../database/database.service.js';
import { Readiness } from '../modules/health/readiness.js';

/** How long a stop may take after its delay; one more second is for the last log lines. */
const maxStopMilliseconds = 14_000;
/** npm forwards the Ctrl-C that the terminal has sent to the whole process group: within this time it is one signal. */
const sameSignalMilliseconds = 100;

/** Reports what a stop waits for, so that the log can name what hangs. */
export type OnStopStep = (waitingFor: string) => void;

export interface ProcessEndOptions {
  readonly logger: Logger;
  readonly output: LogOutput;
  /** How long the server keeps serving before it stops, in milliseconds. */
  readonly delay: number;
  readonly stop: (onStep: OnStopStep) => Promise<void>;
}

/**
 * Stops in order on SIGTERM or SIGINT and exits with 0, or with 1 if the stop fails or takes too long. A second signal
 * exits at once. An unhandled error is logged and exits with 1, as the state of the process is unknown after it.
 * @returns a signal that is aborted when the stop begins
 */
export function handleProcessEnd({ logger, output, delay, stop }: ProcessEndOptions): AbortSignal {
  const stopping = new AbortController();
  let begunAt = 0;
  let waitingFor = 'the delay';

  const exit = (code: number) => void output.flush().then(() => process.exit(code));
  const onError = (error: unknown) => {
    logger.fatal({ err: error }, 'An unhandled error ends the server');
    exit(1);
  };
  const onLate = () => {
    logger.error({ waitingFor }, 'The stop takes too long: the server exits without it');
    exit(1);
  };
  const onStopped = () => {
    logger.info({ milliseconds: Math.round(performance.now() - begunAt) }, 'Stopped');
    exit(0);
  };
  const onFailed = (error: unknown) => {
    logger.error({ waitingFor, err: error }, 'The stop failed');
    exit(1);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) {
      if (performance.now() - begunAt > sameSignalMilliseconds) process.exit(128 + constants.signals[signal]);
      return;
    }
    begunAt = performance.now();
    stopping.abort();
    logger.info({ signal }, 'Stopping');
    setTimeout(onLate, delay + maxStopMilliseconds);
    stop((step) => (waitingFor = step)).then(onStopped, onFailed);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  return stopping.signal;
}

/**
 * Stops in order: reports that it is not ready, serves on for the delay, finishes running requests, writes what is
 * buffered, and closes the database. A server that was never ready gets no requests and skips the delay.
 */
export async function stopApplication(app: NestExpressApplication, delay: number, onStep: OnStopStep): Promise<void> {
  const readiness = app.get(Readiness);
  const connections = app.get(OpenConnections);
  const wasReady = readiness.isStarted;
  readiness.markStopping();
  connections.endAfterResponse();
  // Written again at the end; now in case the process is killed before.
  void app.get(KeyUsage).flush();
  if (wasReady) await sleep(delay);
  onStep('running requests');
  await connections.close(app.getHttpServer());
  try {
    onStep('buffered writes');
    await app.close();
  } finally {
    onStep('the database');
    await app.get(DatabaseService).close();
  }
}
