import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { sendEnvelope } from '../errors/envelope.js';
import { ServiceError } from '../errors/service-error.js';
import type { DeadlineSignal } from '../context/request-context.js';
import type { ServedRequest } from './served-request.js';

/** How long this server may take for an answer; the promise is 5 s, the rest is for the way of the answer. */
const allowedMilliseconds = 4_500;

/** The time that is left for one request. Stands still while the client takes its time to send the body. */
export class Deadline implements DeadlineSignal {
  /** True once the time was over and the request was refused. */
  aborted = false;
  private timer: NodeJS.Timeout | undefined;
  private left: number;
  private begun = 0;

  /** @param passed the milliseconds that the request has waited before */
  constructor(
    private readonly expire: () => void,
    passed: number,
  ) {
    this.left = allowedMilliseconds - passed;
    this.start();
  }

  start(): void {
    if (this.timer !== undefined) return;
    this.begun = performance.now();
    this.timer = setTimeout(() => this.end(), Math.max(0, this.left));
  }

  stop(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.left -= performance.now() - this.begun;
  }

  private end(): void {
    this.aborted = true;
    this.expire();
  }
}

/**
 * Answers 503 when a request is not answered in time, whatever it waits for. What still works for it is told, so that it
 * writes nothing more: its caller may have gone on by then, and a later change must not be undone by an earlier one.
 */
export function deadline(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const served = request as ServedRequest;
  const expire = () => {
    // What waited most of its time for its turn tells of too many requests, not of the database.
    const waited = (served.waitedMilliseconds ?? 0) >= allowedMilliseconds / 2;
    const cause = waited ? errorCatalogue.overloaded : errorCatalogue.databaseUnavailable;
    sendEnvelope(request, response, new ServiceError(cause, { retryAfterSeconds: 1 }));
  };
  const limit = new Deadline(expire, performance.now() - served.arrivedAt);
  served.deadline = limit;
  served.deadlineSignal = limit;
  response.once('close', () => limit.stop());
  next();
}
