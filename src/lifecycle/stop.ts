import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { KeyUsage } from '../modules/api-keys/key-usage.js';
import { OpenConnections } from '../http/open-connections.js';
import { DatabaseService } from '../database/database.service.js';
import { FailedRequests } from '../modules/usage/failed-requests.service.js';
import { UsageService } from '../modules/usage/usage.service.js';
import { Readiness } from '../modules/health/readiness.js';
import { WebhookWorker } from '../modules/webhooks/webhook-worker.js';

/** Maximum duration of a shutdown after its delay; the last log lines, spans and metrics get two more seconds. */
const maxStopMilliseconds = 13_000;
/** Within this time two signals count as one: npm forwards a Ctrl-C that the terminal has also sent to this process. */
const sameSignalMilliseconds = 100;

/** Reports what the shutdown waits for, so that the log can name what hangs. */
export type OnStopStep = (waitingFor: string) => void;

interface ProcessEndOptions {
  readonly logger: Logger;
  /** How long the server still accepts requests, in milliseconds. */
  readonly delay: number;
  readonly stop: (onStep: OnStopStep) => Promise<void>;
  /** Writes and sends what is left, also the last lines. */
  readonly flush: () => Promise<unknown>;
}

/**
 * Shuts down gracefully on SIGTERM or SIGINT and exits with 0, or with 1 if that fails or times out. A second signal
 * exits immediately. An unhandled error is logged and exits with 1, as the process may be in an undefined state.
 * @returns a signal that is aborted when the shutdown begins
 */
export function handleProcessEnd({ logger, delay, stop, flush }: ProcessEndOptions): AbortSignal {
  const stopping = new AbortController();
  let begunAt = 0;
  let waitingFor = 'the delay';

  const end = (code: 0 | 1, level: 'info' | 'error' | 'fatal', details: object, text: string) => {
    logger[level](details, text);
    void flush().then(() => process.exit(code));
  };
  const onError = (err: unknown) => end(1, 'fatal', { err }, 'Unhandled error: the server exits');
  const onLate = () => end(1, 'error', { waitingFor }, 'Shutdown timed out: the server exits');
  const onStopped = () => end(0, 'info', { durationMs: Math.round(performance.now() - begunAt) }, 'Stopped');
  const onFailed = (err: unknown) => end(1, 'error', { waitingFor, err }, 'Shutdown failed');
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
 * Stops the application: reports `not ready`, accepts requests for the delay, finishes running ones, writes buffered
 * data and closes the database. Skips the delay if the server was never ready.
 *
 * Nest calls the `onApplicationShutdown` hooks from `AppModule` to the modules that others import, global ones last. No
 * hook depends on this order: each ends its own work, the webhook worker starts nothing new, and the database is still open.
 */
export async function stopApplication(app: NestExpressApplication, delay: number, onStep: OnStopStep): Promise<void> {
  const readiness = app.get(Readiness);
  const connections = app.get(OpenConnections);
  const wasReady = readiness.isStarted;
  readiness.markStopping();
  void app.get(WebhookWorker).onApplicationShutdown();
  connections.endAfterResponse();
  // Also written at the end; written now in case the process is killed first.
  void Promise.all([app.get(KeyUsage).flush(), app.get(UsageService).flush(), app.get(FailedRequests).flush()]);
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
