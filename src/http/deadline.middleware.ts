import type { IncomingMessage, ServerResponse } from 'node:http';
import { responseDeadline } from '../config/time-windows.js';
import { sendEnvelope, ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from './api-request.js';

/** Timer for the response to one request, paused while the client sends the body. */
class Deadline {
  /** True once the request has timed out. */
  aborted = false;
  private timer: NodeJS.Timeout | undefined;
  private left: number;
  private startedAt = 0;

  /** @param elapsed how long the request has already waited, in milliseconds */
  constructor(
    private readonly onTimeout: () => void,
    elapsed: number,
  ) {
    this.left = responseDeadline - elapsed;
    this.resume();
  }

  resume(): void {
    if (this.timer !== undefined) return;
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.abort(), Math.max(0, this.left));
  }

  pause(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.left -= performance.now() - this.startedAt;
  }

  private abort(): void {
    this.aborted = true;
    this.onTimeout();
  }
}

/**
 * Responds 503 if a request takes longer than `responseDeadline` for any reason. `aborted` then makes `assertMayWrite`
 * reject its writes, so that they cannot undo what the client has sent since.
 */
export function deadline(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const timed = request as ApiRequest;
  const onTimeout = () => {
    // A request that spent most of its time in the queue indicates overload, not a slow database.
    const queued = (timed.waitedMilliseconds ?? 0) >= responseDeadline / 2;
    sendEnvelope(request, response, new ServiceError(queued ? 'overloaded' : 'databaseUnavailable'));
  };
  const timer = new Deadline(onTimeout, performance.now() - timed.arrivedAt);
  timed.deadline = timer;
  response.once('close', () => timer.pause());
  next();
}
